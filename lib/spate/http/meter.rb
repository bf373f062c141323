# frozen_string_literal: true

module Spate
  module HTTP
    # Wraps a socket or TLS connection, and measures received bytes and waiting time. Detects a server that sends single
    # bytes to avoid the read timeout.
    class Meter
      # The minimum pace of a response after its first byte. rate: bytes per second. longest: maximum total waiting time
      # in seconds.
      Pace = Struct.new(:rate, :longest)
      # Low enough for many connections that share a slow line.
      LOWEST = Pace.new(100, Float::INFINITY).freeze
      # The response is larger than the limit.
      Endless = Class.new(StandardError)
      # The response arrives too slowly. The message contains the rate.
      Slow = Class.new(StandardError)

      # silence: maximum time without data from the server (seconds).
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

      # Raises Endless if the block reads more than `limit` bytes.
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

      # Starts a new request. The time until its response begins is not counted.
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

      # Checks the pace only when more data is needed, because a busy machine may read received data late.
      def wait
        judge
        @since = Util.now
      end

      def judge
        raise Slow, "was not complete after #{@pace.longest} seconds" if @in_all > @pace.longest
        return if @waited < @window

        least = (@pace.rate * @window).ceil
        raise Slow, "sent #{@bytes} bytes in #{@waited.round} seconds, expected #{least} at least" if @bytes < least

        @waited = 0.0
        @bytes = 0
      end
    end
  end
end
