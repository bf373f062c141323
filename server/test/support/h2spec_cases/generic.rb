# frozen_string_literal: true

module Spate
  module Server
    # The group "generic" of h2spec.
    module H2specCases
      expect "generic/1/1", "the greeting", :settings, HTTP2::PREFACE + settings([4, 65_535]), raw: true
      expect "generic/2/1", "PRIORITY, idle", :pong, priority(1) + PING
      expect "generic/2/2", "WINDOW_UPDATE, half-closed", [:data, 1], settings([4, 0]) + headers + word(8, 1, 1)
      expect "generic/2/3", "PRIORITY, half-closed", [:data, 1],
             settings([4, 0]) + headers + priority(1) + word(8, 1, 1)
      expect "generic/2/4", "RST_STREAM, half-closed", :pong, headers + word(3, 1, 8) + PING
      expect "generic/2/5", "PRIORITY, closed", :pong, headers, priority(1) + PING
      expect "generic/3.1/1", "DATA", :headers, headers(POST, flags: 4) + data
      expect "generic/3.1/2", "DATA twice", :headers, headers(POST, flags: 4) + data(flags: 0) + data
      expect "generic/3.1/3", "DATA with padding", :headers,
             headers(POST, flags: 4) + data("\x05test\0\0\0\0\0", flags: 9)
      expect "generic/3.2/1", "HEADERS", :headers, headers
      expect "generic/3.2/2", "HEADERS with padding", :headers, headers(join("\x08", GET, NOTHING), flags: 13)
      expect "generic/3.2/3", "HEADERS with priority", :headers, headers(join("\0\0\0\0\xff", GET), flags: 0x25)
      expect "generic/3.3/1", "PRIORITY, weight 1", :headers, priority(1, 0, 0) + headers
      expect "generic/3.3/2", "PRIORITY, weight 256", :headers, priority(1) + headers
      expect "generic/3.3/3", "PRIORITY with a dependence", :headers, priority(3, 1, 0) + headers
      expect "generic/3.3/4", "PRIORITY, exclusive", :headers, priority(1, 1 << 31, 0) + headers
      expect "generic/3.3/5", "PRIORITY of a later stream", :headers, priority(3) + headers
      expect "generic/3.4/1", "RST_STREAM", :pong, headers(flags: 4) + word(3, 1, 8) + PING
      expect "generic/3.5/1", "SETTINGS", :settings_ack,
             settings([1, 4096], [2, 1], [3, 100], [4, 65_535], [5, 16_384], [6, 100])
      expect "generic/3.7/1", "PING", :pong, PING
      expect "generic/3.8/1", "GOAWAY", :pong, frame(7, 0, 0, "#{NOTHING}debug") + PING
      expect "generic/3.9/1", "WINDOW_UPDATE of the connection", :pong, word(8, 0, 1) + PING
      expect "generic/3.9/2", "WINDOW_UPDATE of a stream", :headers, headers + word(8, 1, 1)
      expect "generic/3.10/1", "CONTINUATION", :headers, headers(GET[0, 5], flags: 1) + continuation(GET[5..])
      expect "generic/3.10/2", "CONTINUATION twice", :headers,
             headers(GET[0, 3], flags: 1) + continuation(GET[3, 2], flags: 0) + continuation(GET[5..])
      expect "generic/4/1", "GET", :headers, headers
      expect "generic/4/2", "HEAD", :headers, headers(field(":method", "HEAD") + GET[1..])
      expect "generic/4/3", "POST", :headers, headers(POST, flags: 4) + data
      expect "generic/4/4", "POST with trailers", :headers,
             headers(POST + field("trailer", "x-test"), flags: 4) + data(flags: 0) + headers(field("x-test", "ok"))

      # Representations of a field, each with a name from the static table (user-agent) and with a new one, plain and in
      # Huffman code: RFC 7541, section 6.
      agent = "\x00\x0auser-agent\x06h2spec"
      coded_agent = "\x00\x87\xb5\x05\xb1\x61\xcc\x5a\x93\x84\x9c\x48\xac\xa4".b
      test = "\x00\x06x-test\x06h2spec"
      coded_test = "\x00\x85\xf2\xb2\x4a\x84\xff\x84\x9c\x48\xac\xa4".b
      as = ->(first, literal) { GET + [first].pack("C") + literal.b[1..] }
      expect "generic/5/1", "an indexed field", :headers, headers(join(GET, "\xba"))
      expect "generic/5/2", "with indexing, coded", :headers, headers(as[0x40, coded_agent])
      expect "generic/5/3", "with indexing", :headers, headers(as[0x40, agent])
      expect "generic/5/4", "with indexing, new name", :headers, headers(as[0x40, test])
      expect "generic/5/5", "with indexing, new name, coded", :headers, headers(as[0x40, coded_test])
      expect "generic/5/6", "without indexing", :headers, headers(as[0, agent])
      expect "generic/5/7", "without indexing, coded", :headers, headers(as[0, coded_agent])
      expect "generic/5/8", "without indexing, new name", :headers, headers(as[0, test])
      expect "generic/5/9", "without indexing, new name, coded", :headers, headers(as[0, coded_test])
      expect "generic/5/10", "never indexed", :headers, headers(as[0x10, agent])
      expect "generic/5/11", "never indexed, coded", :headers, headers(as[0x10, coded_agent])
      expect "generic/5/12", "never indexed, new name", :headers, headers(as[0x10, test])
      expect "generic/5/13", "never indexed, new name, coded", :headers, headers(as[0x10, coded_test])
      expect "generic/5/14", "a table size update", :headers, headers("\x3f\x61".b + GET)
      expect "generic/5/15", "two table size updates", :headers, headers("\x3f\x61\x3f\xe1\x1f".b + GET)
    end
  end
end
