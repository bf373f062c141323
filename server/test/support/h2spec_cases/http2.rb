# frozen_string_literal: true

module Spate
  module Server
    # Frames and requests that violate RFC 9113. The section numbers are those of RFC 7540, as in h2spec.
    module H2specCases
      wrong = connection(:PROTOCOL_ERROR)
      size = connection(:FRAME_SIZE_ERROR)
      flow = connection(:FLOW_CONTROL_ERROR)
      malformed = stream(:PROTOCOL_ERROR)
      open_post = headers(POST, flags: 4)

      expect "http2/3.5/1", "the greeting", :settings, HTTP2::PREFACE + settings([4, 65_535]), raw: true
      expect "http2/3.5/2", "a wrong greeting", wrong, "INVALID CONNECTION PREFACE\r\n\r\n", raw: true
      expect "http2/4.1/1", "an unknown type", :pong, UNKNOWN + PING
      expect "http2/4.1/2", "an unknown flag", :pong, frame(6, 0x16, 0, "12345678")
      expect "http2/4.1/3", "the reserved bit", :pong, "\0\0\x08\x06\x16\x80\0\0\x0012345678"
      expect "http2/4.2/1", "DATA of 16,384 bytes", :headers, open_post + data("x" * 16_384)
      expect "http2/4.2/2", "DATA that is too long", stream(:FRAME_SIZE_ERROR), open_post + data("x" * 16_385)
      expect "http2/4.2/3", "HEADERS that is too long", size, headers(GET + (field("x", "y" * 100) * 200))
      expect "http2/4.3/1", "a block that is cut", connection(:COMPRESSION_ERROR), headers("\x40".b)
      expect "http2/4.3/2", "PRIORITY within a block", wrong, headers(flags: 0) + priority(1) + continuation
      expect "http2/4.3/3", "HEADERS within a block", wrong, headers(flags: 0) + headers(id: 3) + continuation
      expect "http2/5.1.1/1", "an even stream", wrong, headers(id: 2)
      expect "http2/5.1.1/2", "a lower stream", wrong, headers(id: 5) + headers(id: 3)
      expect "http2/5.1.2/1", "too many streams", stream(:PROTOCOL_ERROR, :REFUSED_STREAM),
             settings([4, 0]) + Array.new(101) { |n| headers(id: 2 * n + 1) }.join
      expect "http2/5.1/1", "DATA, idle", stream(:PROTOCOL_ERROR, :STREAM_CLOSED), data
      expect "http2/5.1/2", "RST_STREAM, idle", wrong, word(3, 1, 8)
      expect "http2/5.1/3", "WINDOW_UPDATE, idle", wrong, word(8, 1, 100)
      expect "http2/5.1/4", "CONTINUATION, idle", wrong, continuation(GET)
      expect "http2/5.1/5", "DATA, half-closed", stream(:STREAM_CLOSED), headers + data
      expect "http2/5.1/6", "HEADERS, half-closed", stream(:STREAM_CLOSED), settings([4, 0]) + headers + headers
      expect "http2/5.1/7", "CONTINUATION, half-closed", stream(:STREAM_CLOSED, :PROTOCOL_ERROR),
             headers + continuation(GET)
      expect "http2/5.1/8", "DATA behind RST_STREAM", stream(:STREAM_CLOSED), open_post + word(3, 1, 8) + data
      expect "http2/5.1/9", "HEADERS behind RST_STREAM", stream(:STREAM_CLOSED), open_post + word(3, 1, 8) + headers
      expect "http2/5.1/10", "CONTINUATION behind RST_STREAM", stream(:STREAM_CLOSED, :PROTOCOL_ERROR),
             open_post + word(3, 1, 8) + continuation
      expect "http2/5.1/11", "DATA, closed", stream(:STREAM_CLOSED), headers, data
      expect "http2/5.1/12", "HEADERS, closed", connection(:STREAM_CLOSED), headers, headers
      expect "http2/5.1/13", "CONTINUATION, closed", connection(:STREAM_CLOSED, :PROTOCOL_ERROR), headers, continuation
      expect "http2/5.3.1/1", "HEADERS that depends on itself", malformed,
             headers(join("\0\0\0\1\xff", GET), flags: 0x25)
      expect "http2/5.3.1/2", "PRIORITY that depends on itself", malformed, priority(1, 1)
      expect "http2/5.4.1/1", "an error closes the connection", :closed, frame(6, 0, 3, NOTHING)
      expect "http2/5.4.1/2", "and GOAWAY comes first", wrong, frame(6, 0, 3, NOTHING)
      expect "http2/5.5/1", "an unknown frame", :pong, UNKNOWN + PING
      expect "http2/5.5/2", "an unknown frame within a block", wrong, headers(flags: 1) + UNKNOWN
      expect "http2/6.1/1", "DATA on stream 0", wrong, data(id: 0)
      expect "http2/6.1/2", "DATA on a stream that is not open", stream(:STREAM_CLOSED), headers(POST) + data
      expect "http2/6.1/3", "DATA padded too long", wrong,
             headers(POST + field("content-length", "4"), flags: 4) + data("\x06test", flags: 9)
      expect "http2/6.2/1", "a block without its end, and PRIORITY", wrong,
             headers(flags: 0) + priority(1) + continuation
      expect "http2/6.2/2", "a block within another", wrong, headers(flags: 0) + headers(id: 3) + continuation
      expect "http2/6.2/3", "HEADERS on stream 0", wrong, headers(id: 0)
      expect "http2/6.2/4", "HEADERS padded too long", stream(:PROTOCOL_ERROR),
             headers([GET.bytesize + 2].pack("C") + GET, flags: 13)
      expect "http2/6.3/1", "PRIORITY on stream 0", wrong, priority(0)
      expect "http2/6.3/2", "PRIORITY of 4 bytes", stream(:FRAME_SIZE_ERROR), headers + frame(2, 0, 1, "\x80\0\0\1".b)
      expect "http2/6.4/1", "RST_STREAM on stream 0", wrong, word(3, 0, 8)
      expect "http2/6.4/2", "RST_STREAM, idle", wrong, word(3, 1, 8)
      expect "http2/6.4/3", "RST_STREAM of 3 bytes", stream(:FRAME_SIZE_ERROR), headers + frame(3, 0, 1, "\0\0\0")
      expect "http2/6.5/1", "an acknowledgement with a payload", size, frame(4, 1, 0, "\0")
      expect "http2/6.5/2", "SETTINGS on a stream", wrong, frame(4, 0, 1, "\0\3\0\0\0\x64")
      expect "http2/6.5/3", "SETTINGS of 3 bytes", stream(:PROTOCOL_ERROR, :FRAME_SIZE_ERROR), frame(4, 0, 0, "\0\3\0")
      expect "http2/6.5.2/1", "ENABLE_PUSH of 2", wrong, settings([2, 2])
      expect "http2/6.5.2/2", "INITIAL_WINDOW_SIZE of 2^31", flow, settings([4, 2**31])
      expect "http2/6.5.2/3", "MAX_FRAME_SIZE of 16,383", wrong, settings([5, 16_383])
      expect "http2/6.5.2/4", "MAX_FRAME_SIZE of 2^24", wrong, settings([5, 2**24])
      expect "http2/6.5.2/5", "an unknown setting", :pong, settings([0xff, 1]) + PING
      expect "http2/6.5.3/1", "a setting twice in one frame", [:data, 1], settings([4, 100], [4, 1]), headers
      expect "http2/6.5.3/2", "SETTINGS is acknowledged", :settings_ack, settings([2, 0])
      expect "http2/6.7/1", "PING", :pong, PING
      expect "http2/6.7/2", "an answer to no PING", :pong, frame(6, 1, 0, "invalid\0") + PING
      expect "http2/6.7/3", "PING on a stream", wrong, frame(6, 0, 1, NOTHING)
      expect "http2/6.7/4", "PING of 6 bytes", size, frame(6, 0, 0, "\0" * 6)
      expect "http2/6.8/1", "GOAWAY on a stream", wrong, frame(7, 0, 1, NOTHING)
      expect "http2/6.9/1", "a connection's window by 0", wrong, word(8, 0, 0)
      expect "http2/6.9/2", "a stream's window by 0", malformed, open_post + word(8, 1, 0)
      expect "http2/6.9/3", "WINDOW_UPDATE of 3 bytes", size, frame(8, 0, 0, "\0\0\1")
      expect "http2/6.9.1/1", "a window of 1", [:data, 1], settings([4, 1]), headers
      expect "http2/6.9.1/2", "a connection's window past all bounds", flow, word(8, 0, 2**31 - 1) * 2
      expect "http2/6.9.1/3", "a stream's window past all bounds", stream(:FLOW_CONTROL_ERROR),
             headers(flags: 4) + (word(8, 1, 2**31 - 1) * 2)
      expect "http2/6.9.2/1", "a window that opens by SETTINGS", [:data, 1], settings([4, 0]),
             headers + settings([4, 1])
      expect "http2/6.9.2/2", "a window below zero", [:data, 1], settings([4, 3]) + headers,
             settings([4, 2]), word(8, 1, 2)
      expect "http2/6.9.2/3", "a window of 2^31", flow, settings([4, 2**31])
      expect "http2/6.10/1", "CONTINUATIONs", :headers, headers(flags: 1) + continuation(flags: 0) + continuation
      expect "http2/6.10/2", "DATA within a block", wrong, headers(POST, flags: 0) + continuation(flags: 0) + data
      expect "http2/6.10/3", "CONTINUATION on stream 0", wrong, headers(flags: 1) + continuation(id: 0)
      expect "http2/6.10/4", "CONTINUATION behind a whole block", wrong, headers + continuation
      expect "http2/6.10/5", "CONTINUATION behind the last one", wrong, headers(flags: 1) + continuation + continuation
      expect "http2/6.10/6", "CONTINUATION behind DATA", wrong,
             headers(POST, flags: 0) + data + continuation(flags: 0) + continuation(id: 0)
      expect "http2/7/1", "GOAWAY with an unknown code", :pong, frame(7, 0, 0, [0, 0xff].pack("NN")) + PING
      expect "http2/7/2", "RST_STREAM with an unknown code", :pong, open_post + word(3, 1, 0xff) + PING
      expect "http2/8.1/1", "a second block without END_STREAM", malformed,
             open_post + data(flags: 0) + headers(field("x-test", "ok"), flags: 4)
      expect "http2/8.1.2/1", "a name with capitals", malformed, headers(GET + field("X-TEST", "ok"))
      expect "http2/8.1.2.1/1", "an unknown pseudo-header field", malformed, headers(GET + field(":test", "ok"))
      expect "http2/8.1.2.1/2", "one of responses", malformed, headers(GET + field(":status", "200"))
      expect "http2/8.1.2.1/3", "one among the trailers", malformed,
             open_post + data(flags: 0) + headers(field(":method", "POST"))
      expect "http2/8.1.2.1/4", "one behind a field", malformed, headers(field("x-test", "ok") + GET)
      expect "http2/8.1.2.2/1", "connection", malformed, headers(GET + field("connection", "keep-alive"))
      expect "http2/8.1.2.2/2", "te", malformed,
             headers(GET + field("trailers", "test") + field("te", "trailers, deflate"))
      expect "http2/8.1.2.3/1", "an empty path", malformed, headers("\x82\x86".b + field(":path", "") + GET[3..])
      expect "http2/8.1.2.3/2", "no method", malformed, headers(GET[1..])
      expect "http2/8.1.2.3/3", "no scheme", malformed, headers(GET[0] + GET[2..])
      expect "http2/8.1.2.3/4", "no path", malformed, headers(GET[0, 2] + GET[3..])
      expect "http2/8.1.2.3/5", "two methods", malformed, headers(join(GET, "\x82"))
      expect "http2/8.1.2.3/6", "two schemes", malformed, headers(join(GET, "\x86"))
      expect "http2/8.1.2.3/7", "two paths", malformed, headers(join(GET, "\x84"))
      expect "http2/8.1.2.6/1", "content-length against DATA", malformed,
             headers(POST + field("content-length", "1"), flags: 4) + data
      expect "http2/8.1.2.6/2", "content-length against two of them", malformed,
             headers(POST + field("content-length", "1"), flags: 4) + data(flags: 0) + data
      expect "http2/8.2/1", "PUSH_PROMISE", wrong, frame(5, 4, 1, "\0\0\0\3".b + GET)

      # Header blocks that violate RFC 7541.
      broken = connection(:COMPRESSION_ERROR)
      expect "hpack/2.3.3/1", "an index that no table has", broken, headers(join(GET, "\xc6"))
      expect "hpack/2.3.3/2", "a name that no table has", broken, headers(join(GET, "\x7f\x07\0"))
      expect "hpack/4.2/1", "a size update behind fields", broken, headers(join(GET, "\x21"))
      expect "hpack/5.2/1", "padding of a byte", broken,
             headers(join(GET, "\x00\x85\xf2\xb2\x4a\x84\xff\x84\x49\x50\x9f\xff"))
      expect "hpack/5.2/2", "padding of zeros", broken,
             headers(join(GET, "\x00\x85\xf2\xb2\x4a\x84\xff\x83\x49\x50\x90"))
      expect "hpack/5.2/3", "EOS", broken,
             headers(join(GET, "\x00\x85\xf2\xb2\x4a\x84\xff\x87\x49\x51\xff\xff\xff\xfa\x7f"))
      expect "hpack/6.1/1", "index 0", broken, headers(join(GET, "\x80"))
      expect "hpack/6.3/1", "a size update past the setting", broken, headers("\x3f\xe2\x1f".b + GET)
    end
  end
end
