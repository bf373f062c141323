# frozen_string_literal: true

require "test_helper"
require "timeout"

module Spate
  module Server
    # Bodies that other threads fill.
    class BodyQueueTest < Minitest::Test
      def setup
        @outbox = Native::Outbox.new([])
        @told = 0
      end

      def queue(**options)
        Body::Queue.new(**options).tap { |body| body.on_ready(nil) { @told += 1 } }
      end

      def test_one_wake_up_after_each_look_in_vain
        body = queue
        refute_predicate body, :ready?
        3.times { body.push("abc") }
        assert_equal 1, @told
        assert_predicate body, :ready?
        assert_equal [7, 2], [body.raw(@outbox, 7), body.at_hand]
        assert_equal "abcabca", @outbox.to_s
        body.push("d")
        assert_equal 1, @told
        body.raw(@outbox, 100)
        refute_predicate body, :ready?
        body.finish
        assert_equal [2, true, false], [@told, body.drained?, body.done?]
        assert_equal [0, true], [body.raw(@outbox, 100), body.done?]
        assert_raises(IOError) { body.push("late") }
      end

      def test_frames
        body = queue
        body.push("abc").push("de")
        assert_equal 4, body.frames(@outbox, 1, 4, true, 16_384)
        body.finish
        assert_equal 1, body.frames(@outbox, 1, 100, true, 16_384)
        frames = frames_of(@outbox.to_s)
        assert_equal [["abc", 0], ["d", 0], ["e", 1]], frames
        body = queue
        body.push("x")
        body.frames(@outbox.clear, 1, 100, true, 16_384)
        body.finish
        body.frames(@outbox, 1, 0, true, 16_384)
        assert_equal [["x", 0], ["", 1]], frames_of(@outbox.to_s)
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
        assert_equal 3, body.raw(@outbox, 100)
        refute_predicate body, :done?
        assert_raises(RuntimeError) { body.raw(@outbox, 100) }
      end

      def test_who_brings_too_much_waits
        body = queue(most: 10)
        thread = Thread.new { Array.new(3) { body.push("0123456789") }.size }
        Timeout.timeout(5) { Thread.pass until thread.stop? }
        assert_equal 10, body.at_hand
        Timeout.timeout(5) { body.raw(@outbox, 100) until @outbox.pending == 30 }
        assert_equal 3, thread.value
      end

      def test_the_client_goes
        body = queue(most: 1)
        body.push("a")
        thread = Thread.new { body.push("b") }
        thread.report_on_exception = false
        Timeout.timeout(5) { Thread.pass until thread.stop? }
        body.close
        assert_raises(Body::Queue::Gone) { thread.value }
        body.finish
      end

      # An IO that keeps its reader waiting keeps nobody else.
      def test_a_pipe
        reader, writer = IO.pipe
        body = Response.new(200, {}, reader).body
        body.on_ready(nil) { @told += 1 }
        refute_predicate body, :ready?
        writer.write("abc")
        Timeout.timeout(5) { Thread.pass until body.ready? }
        assert_equal 3, body.raw(@outbox, 100)
        writer.close
        Timeout.timeout(5) { Thread.pass until body.drained? }
        body.raw(@outbox, 100)
        assert_predicate body, :done?
        body.close
        assert_predicate reader, :closed?
      end

      def test_a_pipe_whose_client_goes
        reader, = IO.pipe
        body = Body.of(reader)
        body.on_ready(nil) { @told += 1 }
        Timeout.timeout(5) { body.close }
        assert_predicate reader, :closed?
      end
    end
  end
end
