# frozen_string_literal: true

module Spate
  module Server
    class Limits
      # Limits frames that cause work without being requests: resets (the peer's and those it provokes), pings,
      # settings, empty frames, tiny chunks. A burst and a rate are allowed; more is an attack (CVE-2023-44487,
      # CVE-2025-8671, CVE-2019-9512 and others).
      class TokenBucket
        # Content in smaller pieces costs more than it carries; and what such a piece takes from the bucket.
        TINY = 32
        TINY_COST = 1.0 / 32
        CLOCK = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
        # Tokens for the WINDOW_UPDATEs and PRIORITY_UPDATEs of a request.
        REQUEST_EARNS = 4
        # The most tokens saved for frames that answer ours.
        MOST_EARNED = 10_000

        # The block makes the protocol's error from a reason.
        def initialize(burst, a_second, clock = CLOCK, &error)
          @burst = burst
          @error = error
          @a_second = a_second
          @clock = clock
          @left = burst.to_f
          @earned = 0
          @since = nil
        end

        # Raises the error when the bucket is empty. cost: tokens.
        def take(what, cost = 1)
          @left -= cost
          return if @left.positive?

          refill
          raise @error.call("too many: #{what}") unless @left.positive?
        end

        # Grants the peer so many frames in reply to frames that were sent or received.
        def earn(count)
          @earned += count
          @earned = MOST_EARNED if @earned > MOST_EARNED
        end

        # A frame that often answers ours: WINDOW_UPDATE. When no earned tokens are left, it costs a token from the
        # bucket.
        def take_earned(what)
          return take(what) unless @earned.positive?

          @earned -= 1
        end

        private

        def refill
          now = @clock.call
          @left = [@left + (now - @since) * @a_second, @burst.to_f].min if @since
          @since = now
        end
      end
    end
  end
end
