# frozen_string_literal: true

module Spate
  module Server
    class Limits
      # Whether a transfer is fast enough while it is the peer's turn.
      class MinimumRate
        # slowest: bytes a second, over `seconds` at a time.
        def initialize(seconds, slowest)
          @seconds = seconds
          @slowest = slowest
          @since = nil
        end

        # total: so far. waiting: whether the peer is waited for; a time in which it is not does not count.
        def late?(now, total, waiting)
          return (@since = nil) unless waiting
          return begin_period(now, total) if @since.nil?
          return false if now - @since < @seconds
          return true if total - @total < @slowest * @seconds

          begin_period(now, total)
        end

        # For messages. of: " of a request's body"
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
