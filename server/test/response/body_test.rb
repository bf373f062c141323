# frozen_string_literal: true

require "test_helper"
require "timeout"

module Spate
  module Server
    # Response::Body::Chunks, a body made from an Enumerator.
    class BodyChunksTest < Minitest::Test
      # HTTP/1.1 sends a chunk of the available size. The rest of a partly sent part is available next.
      def test_remainder_of_a_part
        write_buffer = Native::WriteBuffer.new([])
        body = Response.new(200, {}, ["abcdef", "", "gh"].each_entry).body
        assert_equal [6, 4, 2, 2, 2],
                     [body.at_hand, body.raw(write_buffer, 4), body.at_hand, body.raw(write_buffer, 4), body.at_hand]
        assert_equal [2, 0, true, "abcdefgh"], [body.raw(write_buffer, 9), body.at_hand, body.done?, write_buffer.to_s]
      end
    end

    # Response::Body::Queue, a body that another thread fills.
    class BodyQueueTest < Minitest::Test
      def setup
        @write_buffer = Native::WriteBuffer.new([])
        @told = 0
      end

      def queue(**options)
        Response::Body::Queue.new(**options).tap { |body| body.on_ready(nil) { @told += 1 } }
      end

      def test_one_wake_up_after_each_failed_check
        body = queue
        refute_predicate body, :ready?
        3.times { body.push("abc") }
        assert_equal 1, @told
        assert_predicate body, :ready?
        assert_equal [7, 2], [body.raw(@write_buffer, 7), body.at_hand]
        assert_equal "abcabca", @write_buffer.to_s
        body.push("d")
        assert_equal 1, @told
        body.raw(@write_buffer, 100)
        refute_predicate body, :ready?
        body.finish
        assert_equal [2, true, false], [@told, body.drained?, body.done?]
        assert_equal [0, true], [body.raw(@write_buffer, 100), body.done?]
        assert_raises(IOError) { body.push("late") }
      end

      def test_frames
        body = queue
        body.push("abc").push("de")
        assert_equal 4, body.frames(@write_buffer, 1, 4, true)
        body.finish
        assert_equal 1, body.frames(@write_buffer, 1, 100, true)
        frames = frames_of(@write_buffer.to_s)
        assert_equal [["abcd", 0], ["e", 1]], frames
        body = queue
        body.push("x")
        body.frames(@write_buffer.clear, 1, 100, true)
        body.finish
        body.frames(@write_buffer, 1, 0, true)
        assert_equal [["x", 0], ["", 1]], frames_of(@write_buffer.to_s)
      end

      # With any sizes of parts and windows, frames stay within the window and are as full as possible.
      def test_frames_do_not_depend_on_how_the_bytes_were_cut
        random = Random.new(Spate.test_seed)
        200.times { check_cut(random) }
      rescue StandardError, Minitest::Assertion
        warn "seed #{random.seed}"
        raise
      end

      def check_cut(random)
        longest, most = [[1, 3000], [34, 3000], [300, 1000], [70_000, 10]].sample(random: random)
        parts = Array.new(random.rand(1..most)) { random.bytes(random.rand(1..longest)) }
        window = [100, 16_384, 65_535, 1 << 20].sample(random: random)
        sent = drain(parts, queue(most: 1 << 20), window, random)
        assert_equal parts.join.b, sent.map(&:first).join
        assert_equal [1], sent.map(&:last).reject(&:zero?)
        assert_equal 1, sent.last.last
      end

      # Returns the frames. Empties the write buffer from time to time.
      def drain(parts, body, window, random)
        bytes = "".b
        write_buffer = Native::WriteBuffer.new([])
        left = parts.dup
        until body.done?
          left.shift(random.rand(1..500)).each { |part| body.push(part) }
          body.finish if left.empty?
          body.frames(write_buffer, 1, window, true)
          bytes << take(write_buffer)
        end
        frames_of(bytes)
      end

      def take(write_buffer)
        frames = frames_of(write_buffer.to_s)
        assert_operator frames.map { |content, _| content.bytesize }.max.to_i, :<=, 16_384
        bytes = write_buffer.to_s
        write_buffer.clear
        bytes
      end

      def test_small_parts_become_one
        body = queue
        part = +"abc"
        1000.times { body.push(part) }
        part.replace("xyz")
        body.frames(@write_buffer, 1, 1 << 20, true)
        assert_equal ["abc" * 1000], frames_of(@write_buffer.to_s).map(&:first)
      end

      def test_large_part_can_be_changed_after_push
        body = queue
        part = "a" * 20_000
        body.push(part)
        part.replace("b" * 20_000)
        body.raw(@write_buffer, 20_000)
        assert_equal "a" * 20_000, @write_buffer.to_s
      end

      def frames_of(bytes)
        frames = []
        until bytes.empty?
          length, _, flags, = Wire.read_frame_header(bytes, 0, [])
          frames << [bytes.byteslice(9, length), flags]
          bytes = bytes.byteslice((9 + length)..)
        end
        frames
      end

      def test_an_error_comes_after_the_bytes
        body = queue
        body.push("abc")
        body.fail(RuntimeError.new("as asked"))
        assert_equal 3, body.raw(@write_buffer, 100)
        refute_predicate body, :done?
        assert_raises(RuntimeError) { body.raw(@write_buffer, 100) }
      end

      def test_writer_waits_while_the_queue_is_full
        body = queue(most: 10)
        thread = Thread.new { Array.new(3) { body.push("0123456789") }.size }
        Timeout.timeout(5) { Thread.pass until thread.stop? }
        assert_equal 10, body.at_hand
        Timeout.timeout(5) { body.raw(@write_buffer, 100) until @write_buffer.pending == 30 }
        assert_equal 3, thread.value
      end

      def test_client_disconnects
        body = queue(most: 1)
        body.push("a")
        thread = Thread.new { body.push("b") }
        thread.report_on_exception = false
        Timeout.timeout(5) { Thread.pass until thread.stop? }
        body.close
        assert_raises(Response::Body::Queue::Disconnected) { thread.value }
        body.finish
      end

      # An IO that blocks does not block other requests.
      def test_a_pipe
        reader, writer = IO.pipe
        body = Response.new(200, {}, reader).body
        body.on_ready(nil) { @told += 1 }
        refute_predicate body, :ready?
        writer.write("abc")
        Timeout.timeout(5) { Thread.pass until body.ready? }
        assert_equal 3, body.raw(@write_buffer, 100)
        writer.close
        Timeout.timeout(5) { Thread.pass until body.drained? }
        body.raw(@write_buffer, 100)
        assert_predicate body, :done?
        body.close
        assert_predicate reader, :closed?
      end

      def test_pipe_when_the_client_disconnects
        reader, = IO.pipe
        body = Response.new(200, {}, reader).body
        body.on_ready(nil) { @told += 1 }
        Timeout.timeout(5) { body.close }
        assert_predicate reader, :closed?
      end
    end
  end
end
