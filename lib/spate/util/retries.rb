# frozen_string_literal: true

module Spate
  module Util
    # An error that another try may avoid. retry_after: seconds to wait, as requested by the server, or nil.
    module Retriable
      attr_accessor :retry_after
    end

    # The run is being aborted (Ctrl-C), including all waits and requests.
    class Cancelled < Interrupted
      def initialize(*) = super("interrupted")
    end

    # Retries temporary failures. Each wait is twice as long as the last one and has a random part, so that the threads
    # of a run, and the machines of a farm, do not retry at the same time. A delay requested by the server is used
    # instead, up to a limit.
    class Retries
      CAP = 60.0
      LONGEST = 10.0

      # Seconds of a Retry-After header (a number or a date); nil for any other value.
      def self.seconds(value)
        return value.to_f if value&.match?(/\A\s*\d+\s*\z/)
        return unless value

        require "time"
        [Time.httpdate(value) - Time.now, 0.0].max
      rescue ArgumentError
        nil
      end

      # times: number of tries after the first one. base: seconds of the first wait. The block is called before each
      # wait: (error, seconds).
      def initialize(times:, base: 0.5, &notify)
        @times = times
        @base = base
        @notify = notify
        @mutex = Mutex.new
        @wake = ConditionVariable.new
        @cancelled = false
      end

      # Runs the block, and up to `times` more if it raises something Retriable. Raises the exception of the last try.
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

      # Ends all waits; the waiting threads raise Cancelled.
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
