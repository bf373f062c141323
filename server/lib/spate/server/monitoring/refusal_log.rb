# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      # Logs refusals with their peers: at most one line per second over all workers, even under attack. The next line
      # contains the number of omitted ones.
      class RefusalLog
        # log: called with a line. counters: the counters of Metrics, which contain the time of the last line of all
        # processes; or nil.
        def initialize(log, counters: nil)
          @log = log
          @counters = counters
          @column = Metrics::COLUMNS.fetch(:told_at) if counters
          @told_at = 0
          @untold = 0
        end

        # reason: a text. code: an HTTP/2 error code, or a status.
        def refused(connection, reason, code)
          return @untold += 1 unless may_tell?

          @log.call("refused #{connection.peer || "a connection"}: #{reason}#{name(code)}#{others}")
        end

        # Logs the number of omitted refusals if no other refusal follows.
        def every_second
          return unless @untold.positive? && may_tell?

          @log.call("refused #{@untold} more")
          @untold = 0
        end

        alias flush every_second

        private

        def may_tell?
          second = Process.clock_gettime(Process::CLOCK_MONOTONIC, :second)
          return false if second == @told_at

          @told_at = second
          @counters.nil? || @counters.exchange(0, @column, second) != second
        end

        def name(code)
          return if code.nil?

          " (#{code < 100 ? Metrics::CODES.fetch(code, code).to_s.upcase : code})"
        end

        def others
          return if @untold.zero?

          count, @untold = @untold, 0
          ", and #{count} before it"
        end
      end
    end
  end
end
