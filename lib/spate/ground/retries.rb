# frozen_string_literal: true

module Spate
  module Ground
    # Worth another try. retry_after: seconds that the other side asked to wait, or nil.
    module Retriable
      attr_accessor :retry_after
    end

    # The run is being given up (Ctrl-C), and what waits or loads with it.
    class Cancelled < Interrupted
      def initialize(*) = super("interrupted")
    end

    # Another try for what failed for a moment. Waits grow twofold with a random part, so that the threads of one run,
    # and the machines of a farm, do not come back all at once; a source that says when to come back is believed, up to
    # a cap.
    class Retries
      CAP = 60.0
      LONGEST = 10.0

      # Seconds of a Retry-After header (a number or a date), nil where it says neither.
      def self.seconds(value)
        return value.to_f if value&.match?(/\A\s*\d+\s*\z/)
        return unless value

        require "time"
        [Time.httpdate(value) - Time.now, 0.0].max
      rescue ArgumentError
        nil
      end

      # times: tries after the first. base: seconds of the first wait. The block hears of each: (error, seconds).
      def initialize(times:, base: 0.5, &notify)
        @times = times
        @base = base
        @notify = notify
        @mutex = Mutex.new
        @wake = ConditionVariable.new
        @cancelled = false
      end

      # Runs the block, again where it raises something Retriable, `times` at most. Raises what the last try raised.
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

      # Ends all waits: their threads raise Cancelled.
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
        deadline = now + seconds
        @mutex.synchronize do
          while !@cancelled && (left = deadline - now).positive?
            @wake.wait(@mutex, left)
          end
          raise Cancelled if @cancelled
        end
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
