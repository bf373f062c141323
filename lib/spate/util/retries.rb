# frozen_string_literal: true

module Spate
  module Util
    # An error that may be temporary. retry_after: seconds to wait as requested by the server, or nil.
    module Retriable
      attr_accessor :retry_after
    end

    # Raised by waits and requests when the run is aborted (Ctrl-C).
    class Cancelled < Interrupted
      def initialize(*) = super("interrupted")
    end

    # Retries temporary failures with exponential backoff. Each wait has a random part, so that several threads or
    # machines do not retry at the same time. A longer delay requested by the server is used instead, up to a limit.
    class Retries
      CAP = 60.0
      LONGEST = 10.0

      # The seconds in a Retry-After header (a number or a date), or nil for any other value.
      def self.seconds(value)
        return value.to_f if value&.match?(/\A\s*\d+\s*\z/)
        return unless value

        require "time"
        [Time.httpdate(value) - Time.now, 0.0].max
      rescue ArgumentError
        nil
      end

      # times: number of retries. base: length of the first wait in seconds. The block is called with (error, seconds)
      # before each wait.
      def initialize(times:, base: 0.5, &notify)
        @times = times
        @base = base
        @notify = notify
        @mutex = Mutex.new
        @wake = ConditionVariable.new
        @cancelled = false
      end

      # Runs the block, and retries it up to `times` times if it raises a Retriable. Raises the last error.
      def run(times: nil)
        times ||= @times
        attempt = 0
        begin
          yield
        rescue Retriable => e
          attempt += 1
          raise if attempt > times

          wait(e, pause(attempt, e.retry_after))
          retry
        end
      end

      # Ends all waits. The waiting threads raise Cancelled.
      def cancel
        @mutex.synchronize do
          @cancelled = true
          @wake.broadcast
        end
      end

      private

      def pause(attempt, asked)
        grown = [@base * (2**(attempt - 1)), LONGEST].min
        grown = (grown / 2) + (Random.rand * grown / 2)
        asked ? [[asked, CAP].min, grown].max : grown
      end

      def wait(error, seconds)
        @notify&.call(error, seconds)
        deadline = Util.now + seconds
        @mutex.synchronize do
          while !@cancelled && (left = deadline - Util.now).positive?
            @wake.wait(@mutex, left)
          end
          raise Cancelled if @cancelled
        end
      end
    end
  end
end
