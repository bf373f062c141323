"""A client that sends overlapping requests over several connections until its time is over.

After GOAWAY, a connection sends no further requests. Open requests must still be answered, except those that the last
GOAWAY excludes. Prints the number of requests with each outcome as JSON."""
import json
import socket
import sys
import time

import h2.config
import h2.connection
import h2.events
import h2.exceptions

PORT, PATH, SECONDS = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
HEADERS = [(":method", "GET"), (":scheme", "http"), (":authority", "localhost"), (":path", PATH)]
END = time.monotonic() + SECONDS
told = {"answered": 0, "lost": 0, "refused": 0, "connections": 0}


class Client:
    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", PORT), timeout=5)
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.open = set()
        self.leaving = self.over = False
        self.last = None
        told["connections"] += 1
        self.send()

    def send(self):
        self.socket.sendall(self.h2.data_to_send())

    def ask(self):
        while not self.leaving and len(self.open) < 3 and time.monotonic() < END:
            stream = self.h2.get_next_available_stream_id()
            self.h2.send_headers(stream, HEADERS, end_stream=True)
            self.open.add(stream)
        self.send()

    # h2 accepts no frames after GOAWAY, so GOAWAY frames are removed first.
    def receive(self):
        data = self.socket.recv(65536)
        if not data:
            return self.end()
        self.rest = getattr(self, "rest", b"") + data
        while len(self.rest) >= 9:
            length = int.from_bytes(self.rest[:3], "big")
            if len(self.rest) < 9 + length:
                return
            frame, self.rest = self.rest[:9 + length], self.rest[9 + length:]
            if frame[3] == 7:
                self.leaving = True
                self.last = int.from_bytes(frame[9:13], "big") & 0x7fffffff
            else:
                self.take(frame)

    def take(self, frame):
        for event in self.h2.receive_data(frame):
            if isinstance(event, h2.events.StreamEnded):
                told["answered"] += 1
                self.open.discard(event.stream_id)
            elif isinstance(event, h2.events.StreamReset):
                told["lost"] += 1
                self.open.discard(event.stream_id)
        self.send()

    def end(self):
        for stream in self.open:
            told["refused" if self.last is not None and stream > self.last else "lost"] += 1
        self.open.clear()
        self.over = True
        self.socket.close()


clients = [Client() for _ in range(4)]
while time.monotonic() < END or any(client.open for client in clients):
    for number, client in enumerate(clients):
        try:
            client.ask()
            if client.open:
                client.receive()
        except OSError:
            client.end()
        if client.over or (client.leaving and not client.open):
            client.socket.close()
            if time.monotonic() >= END:
                client.over = True
                continue
            clients[number] = Client()
    if time.monotonic() > END + 10:
        break
print(json.dumps(told))
