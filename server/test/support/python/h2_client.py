# A client with python3-h2: h2_client.py PORT PATH WINDOW. Sends twenty concurrent requests. Stream windows are a few bytes
# larger than WINDOW. Prints the status and SHA-256 of each response on a line, in the order of the streams.
import hashlib
import socket
import sys

import h2.config
import h2.connection
import h2.events
import h2.settings

port, path, window = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
client = socket.create_connection(("127.0.0.1", port), timeout=20)
connection = h2.connection.H2Connection(config=h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
connection.local_settings = h2.settings.Settings(
    client=True, initial_values={h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 20000 + window,
                                 h2.settings.SettingCodes.ENABLE_PUSH: 0})
connection.initiate_connection()
streams = {}
for _ in range(20):
    stream = connection.get_next_available_stream_id()
    streams[stream] = ["", hashlib.sha256()]
    connection.send_headers(stream, [(":method", "GET"), (":scheme", "http"), (":path", path),
                                     (":authority", "localhost")], end_stream=True)
client.sendall(connection.data_to_send())
left = len(streams)
while left:
    received = client.recv(65536)
    if not received:
        sys.exit("the server closed the connection")
    for event in connection.receive_data(received):
        if isinstance(event, h2.events.ResponseReceived):
            streams[event.stream_id][0] = dict(event.headers)[":status"]
        elif isinstance(event, h2.events.DataReceived):
            streams[event.stream_id][1].update(event.data)
            connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            left -= 1
        elif isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated)):
            sys.exit(repr(event))
    client.sendall(connection.data_to_send())
for status, digest in streams.values():
    print(status, digest.hexdigest())
