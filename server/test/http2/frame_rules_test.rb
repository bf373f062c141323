# frozen_string_literal: true

require "test_helper"
require "support/conversation"

module Spate
  module Server
    # The server rejects frames and requests that break a rule of RFC 9113. docs/requirements.md has the table of rules.
    class FrameRulesTest < Minitest::Test
      include HTTP2

      def talk(...) = @talk ||= Conversation.new(...)
      def frame(...) = talk.frame(...)

      def assert_connection_error(code, *bytes)
        bytes.each { |part| talk.send(part) }
        last = talk.answers.last
        assert_equal 7, last&.type, "GOAWAY was expected"
        assert_equal ErrorCode::NAMES[code], ErrorCode::NAMES[last.word(4)], talk.log.inspect
        assert_predicate talk.protocol, :finished?
      end

      def assert_stream_error(code, stream, *bytes)
        bytes.each { |part| talk.send(part) }
        resets = talk.answers.select { |answer| answer.type == 3 && answer.stream == stream }
        assert_equal [ErrorCode::NAMES[code]], resets.map { |answer| ErrorCode::NAMES[answer.word] }, talk.log.inspect
        assert_alive
      end

      def assert_alive
        talk.send(frame(6, 0, 0, "pingpong"))
        assert_equal [[6, 1, "pingpong"]], talk.answers.map { |answer| [answer.type, answer.flags, answer.payload] }
      end

      # Each entry: section, name, error code, bytes of frames.
      CONNECTION = [
        ["4.1", "a frame longer than SETTINGS_MAX_FRAME_SIZE", :FRAME_SIZE_ERROR,
         [16_385 >> 8, 1, 0, 0, 1].pack("nCCCN")],
        ["5.1", "DATA on an idle stream", :PROTOCOL_ERROR, Wire.frame(0, 0, 1, "x")],
        ["5.1", "RST_STREAM on an idle stream", :PROTOCOL_ERROR, Wire.frame(3, 0, 1, "\0\0\0\x08")],
        ["5.1", "WINDOW_UPDATE on an idle stream", :PROTOCOL_ERROR, Wire.frame(8, 0, 1, "\0\0\0\x08")],
        ["5.1", "CONTINUATION on an idle stream", :PROTOCOL_ERROR, Wire.frame(9, 4, 1, "")],
        ["5.1.1", "an even stream", :PROTOCOL_ERROR, Wire.frame(1, 5, 2, "\x82\x86\x84")],
        ["6.1", "DATA on stream 0", :PROTOCOL_ERROR, Wire.frame(0, 0, 0, "x")],
        ["6.2", "HEADERS on stream 0", :PROTOCOL_ERROR, Wire.frame(1, 5, 0, "\x82\x86\x84")],
        ["6.2", "padding as long as HEADERS", :PROTOCOL_ERROR, Wire.frame(1, 13, 1, "\x04\x82\x86\x84")],
        ["6.2", "HEADERS too short for its priority", :FRAME_SIZE_ERROR, Wire.frame(1, 0x25, 1, "\0\0")],
        ["6.2", "PADDED without a pad length", :FRAME_SIZE_ERROR, Wire.frame(1, 13, 1, "")],
        ["6.2", "another frame within a header block", :PROTOCOL_ERROR,
         Wire.frame(1, 1, 1, "\x82") + Wire.frame(6, 0, 0, "12345678")],
        ["6.2", "a block of another stream within a header block", :PROTOCOL_ERROR,
         Wire.frame(1, 1, 1, "\x82") + Wire.frame(9, 4, 3, "\x86\x84")],
        ["5.5", "an unknown frame within a header block", :PROTOCOL_ERROR,
         Wire.frame(1, 1, 1, "\x82") + Wire.frame(99, 0, 1, "")],
        ["6.3", "PRIORITY on stream 0", :PROTOCOL_ERROR, Wire.frame(2, 0, 0, "\0\0\0\0\0")],
        ["6.4", "RST_STREAM on stream 0", :PROTOCOL_ERROR, Wire.frame(3, 0, 0, "\0\0\0\0")],
        ["6.4", "RST_STREAM of 3 bytes", :FRAME_SIZE_ERROR, Wire.frame(3, 0, 1, "\0\0\0")],
        ["6.5", "an acknowledgement of SETTINGS with a payload", :FRAME_SIZE_ERROR, Wire.frame(4, 1, 0, "\0" * 6)],
        ["6.5", "SETTINGS on a stream", :PROTOCOL_ERROR, Wire.frame(4, 0, 1, "")],
        ["6.5", "SETTINGS of 5 bytes", :FRAME_SIZE_ERROR, Wire.frame(4, 0, 0, "\0" * 5)],
        ["6.5.2", "ENABLE_PUSH of 2", :PROTOCOL_ERROR, Wire.frame(4, 0, 0, [2, 2].pack("nN"))],
        ["6.5.2", "INITIAL_WINDOW_SIZE of 2^31", :FLOW_CONTROL_ERROR, Wire.frame(4, 0, 0, [4, 2**31].pack("nN"))],
        ["6.5.2", "MAX_FRAME_SIZE of 16383", :PROTOCOL_ERROR, Wire.frame(4, 0, 0, [5, 16_383].pack("nN"))],
        ["6.5.2", "MAX_FRAME_SIZE of 2^24", :PROTOCOL_ERROR, Wire.frame(4, 0, 0, [5, 2**24].pack("nN"))],
        ["6.6", "PUSH_PROMISE from a client", :PROTOCOL_ERROR, Wire.frame(5, 4, 1, "\0\0\0\x02\x82")],
        ["6.7", "PING on a stream", :PROTOCOL_ERROR, Wire.frame(6, 0, 1, "12345678")],
        ["6.7", "PING of 6 bytes", :FRAME_SIZE_ERROR, Wire.frame(6, 0, 0, "123456")],
        ["6.8", "GOAWAY on a stream", :PROTOCOL_ERROR, Wire.frame(7, 0, 1, "\0" * 8)],
        ["6.8", "GOAWAY of 7 bytes", :FRAME_SIZE_ERROR, Wire.frame(7, 0, 0, "\0" * 7)],
        ["6.9", "WINDOW_UPDATE of the connection by 0", :PROTOCOL_ERROR, Wire.frame(8, 0, 0, "\0" * 4)],
        ["6.9", "WINDOW_UPDATE of 3 bytes", :FRAME_SIZE_ERROR, Wire.frame(8, 0, 0, "\0" * 3)],
        ["6.9.1", "a connection's window past 2^31-1", :FLOW_CONTROL_ERROR, Wire.frame(8, 0, 0, "\x7f\xff\xff\xff")],
        ["6.10", "CONTINUATION without HEADERS", :PROTOCOL_ERROR, Wire.frame(9, 4, 1, "\x82")],
        ["6.10", "CONTINUATION behind END_HEADERS", :PROTOCOL_ERROR,
         Wire.frame(1, 5, 1, "\x82\x86\x84") + Wire.frame(9, 4, 1, "\x82")],
        ["4.3", "a header block that cannot be decoded", :COMPRESSION_ERROR,
         Wire.frame(1, 5, 1, "\xff\xff\xff\xff\xff\xff")]
      ].freeze

      CONNECTION.each do |section, name, code, bytes|
        define_method("test_#{section}_#{name.tr(" ", "_")}") do
          assert_connection_error(ErrorCode.const_get(code), bytes)
        end
      end

      # Section 8: a malformed request resets its stream.
      MALFORMED = [
        ["8.2", "a capital in a name", %w[X-Capital 1]],
        ["8.2.1", "a blank before a value", ["x", " a"]],
        ["8.2.1", "a line break in a value", %W[x a\nb]],
        ["8.2.1", "a blank in a name", ["x y", "a"]],
        ["8.2.2", "connection", %w[connection close]],
        ["8.2.2", "transfer-encoding", %w[transfer-encoding chunked]],
        ["8.2.2", "te with more than trailers", %w[te gzip]],
        ["8.3", "an unknown pseudo-header field", %w[:test ok]],
        ["8.3", "a pseudo-header field of a response", %w[:status 200]],
        ["8.3", "a pseudo-header field behind a field", %w[x y :authority me]],
        ["8.3.1", "a path twice", %w[:path /]],
        ["8.3.1", "a user in the authority", %w[:authority me@there]],
        ["8.1.1", "an invalid content-length", %w[content-length ten]],
        ["8.1.1", "a content-length and no content", %w[content-length 1]]
      ].freeze

      MALFORMED.each do |section, name, fields|
        define_method("test_#{section}_#{name.tr(" ", "_")}") do
          block = talk.block(":method", "GET", ":scheme", "http", ":path", "/", *fields)
          assert_stream_error(ErrorCode::PROTOCOL_ERROR, 1, frame(1, 5, 1, block))
        end
      end

      [%w[:scheme http :path /], %w[:method GET :path /], %w[:method GET :scheme http], %w[:method CONNECT],
       [":method", "GET", ":scheme", "http", ":path", ""], %w[:method GET :scheme http :path x],
       [":method", "G T", ":scheme", "http", ":path", "/"], [":method", "G\xFF", ":scheme", "http", ":path", "/"],
       [":method", "", ":scheme", "http", ":path", "/"], [":method", "GET", ":scheme", "", ":path", "/"],
       %w[:method GET :scheme 1http :path /], [":method", "GET", ":scheme", "ht/tp", ":path", "/"]].each do |fields|
        define_method("test_8.3.1_only_#{fields.join("_").dump.delete('"')}") do
          assert_stream_error(ErrorCode::PROTOCOL_ERROR, 1, frame(1, 5, 1, talk.block(*fields)))
        end
      end
    end
  end
end
