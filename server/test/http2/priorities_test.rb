# frozen_string_literal: true

require "test_helper"
require "support/conversation"

module Spate
  module Server
    # HTTP/2 responses are sent in the order of their priorities: RFC 9218.
    class PrioritiesTest < Minitest::Test
      include HTTP2

      MANY = 600_000

      def talk(**changes, &handler)
        handler ||= ->(_) { Response.new(200, {}, "x" * MANY) }
        @talk ||= Conversation.new(limits: Limits.new(**changes), &handler)
      end

      def update(stream, value) = Wire.frame(16, 0, 0, [stream].pack("N") + value)

      # Opens windows that never limit a response.
      def wide(**changes)
        talk(**changes).send(Wire.frame(4, 0, 0, [4, 2**31 - 1].pack("nN")) + Wire.frame(8, 0, 0, [2**30].pack("N")))
        talk.answers
        talk
      end

      # Opens streams, given as stream => value of its `priority` field. All requests arrive before the first response
      # starts.
      def open(requests)
        block = requests.map do |stream, value|
          Wire.frame(1, 5, stream, value ? talk.get("/", priority: value) : talk.get)
        end
        talk.send(block.join)
      end

      # Returns the streams in the order of completion, and how many bytes of each were sent before the first completed.
      def course
        done = []
        bytes = Hash.new(0)
        talk.answers.each do |answer|
          next unless answer.type.zero?

          bytes[answer.stream] += answer.payload.bytesize if done.empty?
          done << answer.stream if answer.flags.odd?
        end
        [done, bytes]
      end

      def test_urgency_goes_first
        wide
        open(1 => "u=5", 3 => "u=1", 5 => "u=3", 7 => nil, 9 => "u=0")
        assert_equal [9, 3], course.first.first(2)
      end

      # The least urgent response receives about a sixteenth of the bandwidth.
      def test_background_transfer_is_not_starved
        wide
        open((1..15).step(2).to_h { |n| [n, "u=0,i"] }.merge(17 => "u=7"))
        done, bytes = course
        assert_equal 17, done.last
        assert_operator bytes[17], :>, 0
        assert_operator bytes[17], :<=, bytes.values.sum / 10
      end

      def test_incremental_responses_of_equal_urgency_alternate
        wide
        open(1 => "i", 3 => "i", 5 => nil, 7 => "u=3, i")
        _, bytes = course
        assert_operator bytes.values.min, :>=, MANY - 2 * Scheduler::QUANTUM
      end

      def test_other_responses_of_equal_urgency_are_sequential
        wide
        open(5 => "u=3", 7 => "u=3", 9 => "u=3")
        done, bytes = course
        assert_equal [5, 7, 9], done
        assert_equal [5], bytes.keys
      end

      # Incremental and other responses of equal urgency alternate.
      def test_both_kinds_of_equals_take_turns
        wide
        open(1 => "u=3", 3 => "i", 5 => "i", 7 => "u=3")
        done, bytes = course
        assert_equal 1, done.first
        assert_includes (MANY - 100_000)..(MANY + 100_000), bytes[3] + bytes[5]
        assert_equal 0, bytes[7]
      end

      def test_an_update_moves_a_response
        wide
        open(1 => "u=1", 3 => "u=3", 5 => "u=4")
        talk.send(update(5, "u=0") + update(1, "u=6"))
        assert_equal [5, 3, 1], course.first
      end

      # Section 7.1: an update that arrives before its request overrides the request's field.
      def test_an_update_of_a_request_to_come
        wide
        talk.send(update(3, "u=0") + update(1, "u=7"))
        open(1 => "u=0", 3 => "u=6")
        assert_equal [3, 1], course.first
      end

      def test_updates_of_closed_streams_are_nothing
        talk { Response.text(200, "ok") }.open(1)
        talk.answers
        talk.send(update(1, "u=0"))
        assert_empty talk.answers
      end

      def assert_ended(code, bytes, **changes)
        @talk = nil
        talk(**changes).send(bytes)
        last = talk.answers.last
        assert_equal [7, code], [last&.type, last && ErrorCode::NAMES[last.word(4)]]
      end

      def test_updates_that_are_wrong
        assert_ended :PROTOCOL_ERROR, Wire.frame(16, 0, 1, "\0\0\0\1u=1")
        assert_ended :PROTOCOL_ERROR, update(0, "u=1")
        assert_ended :PROTOCOL_ERROR, update(2, "u=1")
        assert_ended :FRAME_SIZE_ERROR, Wire.frame(16, 0, 0, "\0\0\1")
        assert_ended :PROTOCOL_ERROR, (0..4).map { |n| update(2 * n + 1, "u=1") }.join, streams: 4
        assert_ended :ENHANCE_YOUR_CALM, update(1, "u=1") * 60, control_frames: 50, control_frames_per_second: 0
      end

      def test_the_setting
        assert_ended :PROTOCOL_ERROR, Wire.frame(4, 0, 0, [9, 2].pack("nN"))
      end

      # Section 4: unknown parameters and values out of range are ignored.
      def test_values
        { "" => 6, "u=5" => 10, "u=1, i" => 3, "i=?0,u=7;x=1" => 14, "u=9" => 6, "u=-1" => 6, "i;q=2" => 7,
          "u=0,  i=?1 " => 1, "x=?1, u=2" => 4, "i=1" => 6, "u" => 6, "u=1,u=2" => 4, "\xff,=,;" => 6,
          "u=6,,i" => 13 }.each do |value, number|
          assert_equal number, Native.priority(value), value.inspect
        end
      end
    end
  end
end
