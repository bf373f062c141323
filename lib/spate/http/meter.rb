# frozen_string_literal: true

module Spate
  module HTTP
    # A socket (or what has TLS on top of it) that counts what comes, and how long it is waited for: a byte now and
    # then is less than the silence that a time limit ends, and as useless.
    class Meter
      # What is expected of an answer that has begun. rate: bytes a second; longest: seconds that it may be waited for
      # in all.
      Pace = Struct.new(:rate, :longest)
      # A slow line that is shared by many connections is faster.
      LOWEST = Pace.new(100, Float::INFINITY).freeze
      # The answer exceeds the limit of bytes.
      Endless = Class.new(StandardError)
      # The answer comes too slowly; the message says how slowly.
      Slow = Class.new(StandardError)

      # silence: seconds that a server may say nothing.
      def initialize(io, silence, pace = LOWEST)
        @io = io
        @pace = pace
        @window = 2 * silence
        @limit = nil
        ask
      end

      def to_io = @io.to_io
      def closed? = @io.closed?
      def close = @io.close
      def eof? = @io.eof?

      # Raises Endless where the block reads more bytes than that.
      def within(limit)
        @limit = limit
        yield
      ensure
        @limit = nil
      end

      def write_nonblock(...)
        ask
        @io.write_nonblock(...)
      end

      def read_nonblock(...)
        got = @io.read_nonblock(...)
        waited if @since
        got == :wait_readable ? wait : count(got)
        got
      end

      private

      # A new request: the time until its answer begins is not the line's.
      def ask
        @begun = false
        @waited = @in_all = 0.0
        @bytes = 0
        @since = nil
      end

      def count(got)
        return unless got.is_a?(String)

        @waited = @in_all = 0.0 unless @begun
        @begun = true
        @bytes += got.bytesize
        return unless @limit
        raise Endless if (@limit -= got.bytesize).negative?
      end

      def waited
        passed = Util.now - @since
        @since = nil
        @waited += passed
        @in_all += passed
      end

      # Not before more is lacking: where this machine has much to do, what came is looked at late.
      def wait
        judge
        @since = Util.now
      end

      def judge
        raise Slow, "was not at its end after #{@pace.longest} seconds" if @in_all > @pace.longest
        return if @waited < @window

        least = (@pace.rate * @window).ceil
        raise Slow, "sent #{@bytes} bytes in #{@waited.round} seconds, expected #{least} at least" if @bytes < least

        @waited = 0.0
        @bytes = 0
      end
    end
  end
end
