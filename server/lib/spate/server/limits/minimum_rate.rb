# frozen_string_literal: true

module Spate
  module Server
    class Limits
      # Checks whether a transfer is fast enough while we wait for the peer.
      class MinimumRate
        # slowest: minimum rate in bytes per second, measured over `seconds`.
        def initialize(seconds, slowest)
          @seconds = seconds
          @slowest = slowest
          @since = nil
        end

        # Whether the transfer is too slow. total: bytes so far. waiting: whether we wait for the peer; only this time
        # counts.
        def late?(now, total, waiting)
          return (@since = nil) unless waiting
          return begin_period(now, total) if @since.nil?
          return false if now - @since < @seconds
          return true if total - @total < @slowest * @seconds

          begin_period(now, total)
        end

        # Describes the missed rate, for messages. of: for example " of a request's body".
        def shortfall(of = "") = "less than #{@slowest} bytes a second#{of} in #{@seconds} s"

        private

        def begin_period(now, total)
          @since = now
          @total = total
          false
        end
      end
    end
  end
end
