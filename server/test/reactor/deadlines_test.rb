# frozen_string_literal: true

require "test_helper"
require "support/conversation"

module Spate
  module Server
    # HTTP/2 clients that are late are disconnected, or their streams reset: RFC 9113, sections 6.5.3, 9.1 and 10.5. The
    # clock is simulated.
    class DeadlinesTest < Minitest::Test
      include HTTP2

      def setup
        @now = 100.0
      end

      def talk(greet: true, acknowledge: true, **changes, &handler)
        @talk = Conversation.new(limits: Limits.new(**changes), greet: greet, &handler)
        @talk.send(frame(4, 1)) if acknowledge && greet
        pass(0)
        @talk.answers
        @talk
      end

      def frame(type, flags = 0, stream = 0, payload = "") = Wire.frame(type, flags, stream, payload)

      # Advances the clock by seconds. The block is the client's action in each second.
      def pass(seconds)
        seconds.ceil.times do
          @now += 1
          yield if block_given?
          break if @talk.protocol.late?(@now)
        end
        @talk.protocol.late?(@now) if seconds.zero?
      end

      def ending
        last = @talk.answers.last
        [last.type, ErrorCode::NAMES[last.word(last.type == 7 ? 4 : 0)]]
      end

      def assert_going = refute(@talk.protocol.finished?, @talk.log.inspect)

      def test_settings_without_acknowledgement
        talk(acknowledge: false, settings_seconds: 5)
        pass(5)
        assert_going
        pass(1)
        assert_equal [7, :SETTINGS_TIMEOUT], ending
        talk(settings_seconds: 5)
        pass(50)
        assert_going
      end

      def test_a_greeting_without_settings
        talk(greet: false, head_seconds: 3).send(PREFACE)
        pass(4)
        assert_equal [7, :PROTOCOL_ERROR], ending
      end

      def test_a_header_block_that_does_not_end
        talk(head_seconds: 5).send(frame(1, 1, 1, "\x82"))
        pass(5) { @talk.send(frame(9, 0, 1, "\x86")) }
        assert_going
        pass(2)
        assert_equal [7, :ENHANCE_YOUR_CALM], ending
      end

      def test_a_frame_that_does_not_end
        talk(head_seconds: 5)
        bytes = frame(1, 5, 1, @talk.get)
        pass(7) { @talk.send(bytes.slice!(0, 1)) }
        assert_equal [7, :ENHANCE_YOUR_CALM], ending
      end

      def test_slow_header_blocks_that_are_completed
        talk(head_seconds: 3)
        12.times do |n|
          bytes = frame(1, 5, 2 * n + 1, @talk.get)
          halves = [bytes.byteslice(0, 12), bytes.byteslice(12..)]
          pass(2) { @talk.send(halves.shift) }
        end
        assert_going
        assert_equal 12, @talk.requests.size
      end

      def test_a_body_that_stalls
        talk(body_seconds: 5, minimum_rate: 10) { nil }.open(1, @talk.post, flags: 4)
        pass(20) { @talk.send(frame(0, 0, 1, "x" * 10)) }
        assert_empty(@talk.answers.select { |answer| answer.type == 3 })
        pass(11) { @talk.send(frame(0, 0, 1, "x")) }
        assert_equal [3, :CANCEL], ending
        assert_going
      end

      def test_data_that_stalls_within_a_frame
        talk(body_seconds: 5, minimum_rate: 10) { nil }.open(1, @talk.post, flags: 4)
        bytes = frame(0, 0, 1, "x" * 1000)
        pass(20) { @talk.send(bytes.slice!(0, 20)) }
        assert_going
        pass(11) { @talk.send(bytes.slice!(0, 1)) }
        assert_equal [7, :ENHANCE_YOUR_CALM], ending
      end

      # The handler does not read the body, so the client does not time out.
      def test_an_unread_body
        talk(body_seconds: 2, stream_window: 100) { nil }.open(1, @talk.post, flags: 4).send(frame(0, 0, 1, "x" * 100))
        pass(20)
        assert_empty(@talk.answers.reject { |answer| answer.type == 6 })
      end

      def test_window_that_stays_closed
        talk(response_seconds: 5, minimum_rate: 10) { Response.new(200, {}, "x" * 10_000) }
        @talk.send(frame(4, 0, 0, [4, 0].pack("nN"))).open(1)
        @talk.answers
        pass(20) { @talk.send(frame(8, 0, 1, [11].pack("N"))) && @talk.answers }
        pass(11) { @talk.send(frame(8, 0, 1, [1].pack("N"))) && (@last = @talk.answers.last || @last) }
        assert_equal [3, ErrorCode::CANCEL], [@last.type, @last.word]
        assert_going
      end

      def test_connection_window_that_stays_closed
        talk(response_seconds: 5) { Response.new(200, {}, "x" * 100_000) }.open(1)
        @talk.answers
        @talk.send(frame(8, 0, 1, [100_000].pack("N"))).answers
        pass(7)
        assert_equal [7, :ENHANCE_YOUR_CALM], ending
      end

      # If the client does not read, output stays in the buffer, GOAWAY included.
      def test_a_write_buffer_that_stays_full
        talk(response_seconds: 5) { Response.new(200, {}, "x" * 50_000) }.open(1)
        @talk.protocol.produce
        pass(7)
        assert_predicate @talk.protocol, :finished?
        refute @talk.protocol.late?(@now + 1)
        assert @talk.protocol.late?(@now + 2.1)
      end

      # The handler is slow, but the client responds to pings.
      def test_a_long_wait
        talk(idle: 10, request_seconds: nil) { nil }.open(1)
        pings = 0
        pass(60) do
          @talk.answers.each do |answer|
            pings += 1
            @talk.send(frame(6, 1, 0, answer.payload))
          end
        end
        assert_going
        assert_includes 5..12, pings
        pass(11)
        assert_predicate @talk.protocol, :finished?
      end

      def test_a_whole_request
        talk(request_seconds: 4) { nil }.open(1)
        pass(6)
        assert_equal [3, :CANCEL], ending
      end

      def test_pings_hold_no_connection
        talk(idle: 10).open(1)
        @talk.answers
        pass(9) { @talk.send(frame(6, 0, 0, "12345678")).answers }
        assert_going
        pass(3) { @talk.send(frame(6, 0, 0, "12345678")) }
        assert_equal [7, :NO_ERROR], ending
      end

      def test_requests_do
        talk(idle: 5)
        10.times { |n| pass(4) { (@now % 4).zero? && @talk.open(2 * n + 1).answers } }
        assert_going
      end
    end
  end
end
