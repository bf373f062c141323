# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      # The log of refusals and their peers: at most one line a second over all workers, however many attack. The next
      # line counts those that were left out.
      class RefusalLog
        # log: called with a line. counters: those of Metrics, for all processes to know when one told, or nil.
        def initialize(log, counters: nil)
          @log = log
          @counters = counters
          @column = Metrics::COLUMNS.fetch(:told_at) if counters
          @told_at = 0
          @untold = 0
        end

        # reason: text. code: the error's number in HTTP/2, or a status.
        def refused(connection, reason, code)
          return @untold += 1 unless may_tell?

          @log.call("refused #{connection.peer || "a connection"}: #{reason}#{name(code)}#{others}")
        end

        # Those of the last seconds are told also where nothing comes after them.
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
