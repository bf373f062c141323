# frozen_string_literal: true

require "test_helper"
require "support/conversation"

module Spate
  module Server
    # Consecutive DATA frames of a stream are received as one. The application sees no difference.
    class JoinedDataTest < Minitest::Test
      include HTTP2

      def data(stream, bytes, flags = 0) = Wire.frame(0, flags, stream, bytes)
      def part(letter, size = 2000) = letter * size

      # Reads once. Returns the number of frames, their total length, the content, the flags and the size.
      def read(bytes, most: 100, to: bytes.bytesize)
        @buffer = ArrayBuffer.from(bytes)
        @reader = Native::FrameReader.new(16_384, 1024)
        assert_equal 0, @reader.next(@buffer, 0, to, most)
        [@reader.count, @reader.length, @reader.data(@buffer), @reader.flags, @reader.size]
      end

      def test_frames_of_one_stream_to_its_end
        bytes = data(1, part("a")) + data(1, part("b", 1024)) + data(1, "", 1)
        assert_equal [3, 3024, part("a") + part("b", 1024), 1, bytes.bytesize], read(bytes + data(1, part("c")))
      end

      def test_frames_that_are_not_joined
        first = data(1, part("a"))
        alone = [1, 2000, part("a"), 0, 2009]
        [data(3, part("b")), data(1, part("b", 1023)), data(1, "\x01#{part("b")}\0", 8), data(0, part("b")),
         data(1, part("b", 16_385)), Wire.frame(6, 0, 0, "12345678")].each do |other|
          assert_equal alone, read(first + other)
        end
        assert_equal alone, read(first + data(1, part("b")), to: first.bytesize + 2008)
        assert_equal alone, read(first + data(1, part("b")), most: 1)
        assert_equal [1, 0, "", 1, 9], read(data(1, "", 1) + data(1, part("b")))
      end

      def test_data_of_another_buffer
        read(data(1, part("a")))
        assert_raises(IndexError) { @reader.data(ArrayBuffer.new(2008)) }
      end

      def talk(length: nil, **limits, &handler)
        limits = Limits.new(stream_window: 10_000, **limits)
        @talk = Conversation.new(limits: limits) { |request| handler&.call(request) }
        @talk.open(1, @talk.post(**(length ? { content_length: length.to_s } : {})), flags: 4)
      end

      def resets
        found = @talk.answers.select { |answer| answer.type == 3 }
        found.map { |one| [one.stream, ErrorCode::NAMES[one.word]] }
      end

      # Ten frames cause one WINDOW_UPDATE of the stream and one of the connection, and are passed on as one part.
      def test_windows_are_counted_to_the_byte
        parts = []
        talk(connection_window: 65_536) { |request| request.body.on_chunk { |bytes| parts << bytes } && nil }
        @talk.answers
        @talk.send(data(1, part("a", 1024)) * 9)
        assert_equal [9216], parts.map(&:bytesize)
        assert_equal [[8, 1, 9216]], @talk.answers.map { |answer| [answer.type, answer.stream, answer.word] }
        @talk.send(data(1, part("b", 1024)) * 9)
        assert_empty resets
        @talk.send(data(1, part("b", 1024)) * 10)
        assert_equal [[1, :FLOW_CONTROL_ERROR]], resets
      end

      def test_bodies_that_differ_from_content_length
        talk(length: 4000).send(data(1, part("a")) * 2 + data(1, "", 1))
        assert_empty resets
        talk(length: 4000).send(data(1, part("a")) * 3)
        assert_equal [[1, :PROTOCOL_ERROR]], resets
        talk(length: 4000).send(data(1, part("a")) + data(1, "", 1))
        assert_equal [[1, :PROTOCOL_ERROR]], resets
      end

      # Each joined frame counts for frames_per_tick.
      def test_joined_frames_count_one_by_one
        sizes = []
        talk(frames_per_tick: 3) { |request| request.body.on_chunk { |bytes| sizes << bytes.bytesize } && nil }
        @talk.send(data(1, part("a", 1024)) * 7)
        assert_equal [3072], sizes
        2.times { @talk.send("") }
        assert_equal [3072, 3072, 1024], sizes
      end

      def test_lent_part_is_detached_after_the_call
        kept = []
        talk { |request| request.body.on_chunk { |bytes| kept << bytes } && nil }.send(data(1, part("a")))
        talk { |request| request.body.on_chunk(lent: true) { |bytes| kept << bytes } && nil }.send(data(1, part("a")))
        assert_equal [part("a"), ""], kept
      end
    end
  end
end
