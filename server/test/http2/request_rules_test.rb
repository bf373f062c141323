# frozen_string_literal: true

require "test_helper"
require "support/conversation"

module Spate
  module Server
    # RFC 9113, section 8: invalid requests and responses made of valid frames; also limits of requests.
    class RequestRulesTest < Minitest::Test
      include HTTP2

      def talk(**changes, &handler) = @talk ||= Conversation.new(limits: Limits.new(**changes), &handler)
      def frame(...) = Wire.frame(...)
      def ends(answers = talk.answers) = answers.select { |a| [3, 7].include?(a.type) }.map { |a| code(a) }
      def code(answer) = ErrorCode::NAMES[answer.word(answer.type == 7 ? 4 : 0)]
      def status(answers) = talk.fields(answers.find { |answer| answer.type == 1 })[1]

      # Several cookie fields are joined with "; ", other fields with ", ": section 8.2.3.
      def test_cookies_are_joined
        talk.open(1, talk.block(*%w[:method GET :scheme http :path / cookie a=1 x 1 cookie b=2 cookie c=3 x 2]))
        assert_equal ["a=1; b=2; c=3", "1, 2"], [talk.requests[0]["cookie"], talk.requests[0]["x"]]
      end

      # Section 8.3.1: without :authority, Host is used.
      def test_the_authority
        talk.open(1, talk.block(*%w[:method GET :scheme http :path / host b.test]))
        talk.open(3, talk.block(*%w[:method GET :scheme http :path / :authority a.test]))
        assert_equal %w[b.test a.test], talk.requests.map(&:authority)
      end

      def test_connect_and_options
        talk.open(1, talk.block(*%w[:method CONNECT :authority there:80]))
        talk.open(3, talk.block(*%w[:method OPTIONS :scheme http :path *]))
        talk.open(5, talk.block(*%w[:method GET :scheme http :path *]))
        assert_equal [:PROTOCOL_ERROR], ends
        assert_equal %w[CONNECT OPTIONS], talk.requests.map(&:verb)
      end

      # Section 8.1: only DATA or trailers may follow a header block without END_STREAM.
      def test_trailers
        talk { nil }.open(1, talk.post, flags: 4)
        talk.open(1, talk.block("x", "y"), flags: 4)
        talk.open(3, talk.post, flags: 4).send(frame(1, 5, 3, talk.block(":path", "/")))
        talk.open(5, talk.post, flags: 4).send(frame(1, 5, 5, talk.block("connection", "close")))
        assert_equal [:PROTOCOL_ERROR] * 3, ends
      end

      def test_trailers_that_are_too_large
        talk(header_fields: 10) { nil }.open(1, talk.post, flags: 4)
        talk.send(frame(1, 5, 1, talk.block(*(%w[x y] * 11))))
        assert_equal [:ENHANCE_YOUR_CALM], ends
      end

      # Padding may fill the rest of the frame, but not be longer: section 6.1.
      def test_data_that_is_padded_too_long
        talk { nil }.open(1, talk.post, flags: 4).send(frame(0, 9, 1, "\x05test"))
        assert_equal [:PROTOCOL_ERROR], ends
        @talk = nil
        talk { nil }.open(1, talk.post, flags: 4).send(frame(0, 9, 1, "\x04test"))
        assert_empty ends
      end

      # Reserved bits are ignored: before the stream identifier (section 4.1) and in payloads (sections 6.4 to 6.9).
      def test_reserved_bits
        talk { Response.new(200, {}, "x" * 70_000) }
        bytes = frame(1, 5, 1, talk.get).b
        bytes.setbyte(5, 0x80)
        talk.send(bytes)
        assert_equal 65_535, talk.answers.select { |a| a.type.zero? }.sum { |a| a.payload.bytesize }
        talk.send(frame(8, 0, 0, [(1 << 31) | 10].pack("N")) + frame(8, 0, 1, [(1 << 31) | 10].pack("N")))
        assert_equal [10], talk.answers.map { |a| a.payload.bytesize }
      end

      # HTTP/2 has no status 101, so this response becomes an internal error: section 8.6.
      def test_responses_that_there_are_not
        talk { Response.new(101, {}) }.open(1)
        assert_equal "500", status(talk.answers)
      end

      # The rest of the body is discarded without a reset, because some clients ignore a response that arrives with one.
      def test_a_body_that_is_announced_as_too_large
        talk(body: 10) { nil }.open(1, talk.post(content_length: "11"), flags: 4)
        assert_equal "413", status(answers = talk.answers)
        assert_equal ["More than 10 bytes of content.\n", []], [answers.last.payload, ends(answers)]
        talk.send(frame(0, 0, 1, "x" * 5)).send(frame(0, 1, 1, "x" * 6))
        assert_empty ends
        assert_empty talk.requests
        refute_predicate talk.protocol, :busy?
      end

      def test_a_body_that_becomes_too_large
        talk(body: 10) { nil }.open(1, talk.post, flags: 4).send(frame(0, 0, 1, "x" * 10))
        assert_empty talk.answers
        talk.send(frame(0, 0, 1, "x")).send(frame(0, 0, 1, "x" * 100))
        assert_equal ["413", []], [status(answers = talk.answers), ends(answers)]
        talk.send(frame(0, 1, 1, "x"))
        refute_predicate talk.protocol, :busy?
      end

      # Section 6.9: unread bytes are returned to the connection's window, also after an error of the stream.
      def test_the_connections_window_leaks_nothing
        talk(connection_window: 65_535, stream_window: 40_000, control_frames: 10_000) { nil }
        20.times do |n|
          id = 2 * n + 1
          talk.open(id, talk.post(content_length: "100"), flags: 4).send(frame(0, 0, id, "x" * 10_000))
        end
        assert_equal [:PROTOCOL_ERROR] * 20, ends
      end

      # A tick processes at most frames_per_tick frames. The next tick continues.
      def test_frames_per_tick
        talk(frames_per_tick: 10).send(frame(6, 0, 0, "12345678") * 35)
        assert_equal 10, talk.answers.size
        assert_predicate talk.protocol, :ready?
        assert_equal [10, 10, 5], Array.new(3) { talk.send("").answers.size }
        refute_predicate talk.protocol, :ready?
      end

      # A header block that is interrupted by the end of a tick continues in the next one.
      def test_tick_that_ends_before_a_block
        talk(frames_per_tick: 2)
        block = talk.get
        talk.send((frame(6, 0, 0, "12345678") * 2) + frame(1, 1, 1, block[0, 3]) + frame(9, 4, 1, block[3..]))
        3.times { talk.send("") }
        assert_equal 1, talk.requests.size
      end

      def test_errors_are_reported_to_the_observer
        told = []
        connection = Connection::Null.new
        connection.define_singleton_method(:refused) { |reason, code| told << [reason, code] }
        @talk = Conversation.new(connection: connection)
        talk.open(1, talk.block("X", "y")).send(frame(6, 0, 1, "12345678"))
        assert_equal [ErrorCode::PROTOCOL_ERROR] * 2, told.map(&:last)
        assert_equal "PING on a stream", told.last.first
      end
    end
  end
end
