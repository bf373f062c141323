# frozen_string_literal: true

module Spate
  module Server
    class Limits
      # Limits frames that cause work without being requests: resets (by the peer, or provoked by the peer), pings,
      # settings, empty frames, tiny chunks. A burst and a rate are allowed. More frames are treated as an attack
      # (CVE-2023-44487, CVE-2025-8671, CVE-2019-9512 and others).
      class TokenBucket
        # A piece of content smaller than TINY bytes takes TINY_COST tokens from the bucket, because the work per piece
        # exceeds the work for its bytes.
        TINY = 32
        TINY_COST = 1.0 / 32
        CLOCK = -> { Server.now }
        # Tokens for the WINDOW_UPDATEs and PRIORITY_UPDATEs of a request.
        REQUEST_EARNS = 4
        # Maximum number of earned tokens that are saved.
        MOST_EARNED = 10_000

        # burst: maximum number of tokens. a_second: tokens that are added per second. The block returns an error of the
        # protocol for a reason.
        def initialize(burst, a_second, clock = CLOCK, &error)
          @burst = burst
          @error = error
          @a_second = a_second
          @clock = clock
          @left = burst.to_f
          @earned = 0
          @since = nil
        end

        # Takes tokens from the bucket. Raises the error when the bucket is empty. cost: number of tokens.
        def take(what, cost = 1)
          @left -= cost
          return if @left.positive?

          refill
          raise @error.call("too many #{what}") unless @left.positive?
        end

        # Adds tokens for frames that the peer sends in reply to other frames.
        def earn(count)
          @earned += count
          @earned = MOST_EARNED if @earned > MOST_EARNED
        end

        # Charges a frame that often answers a frame of the server, such as WINDOW_UPDATE. It costs an earned token or,
        # when none is left, a token from the bucket.
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

      # Checks whether a transfer is fast enough while the server waits for the peer.
      class MinimumRate
        # minimum: bytes per second, measured over `seconds`.
        def initialize(seconds, minimum)
          @seconds = seconds
          @minimum = minimum
          @since = nil
        end

        # Records the progress and returns whether the transfer is too slow. total: bytes so far. waiting: whether the
        # server waits for the peer. Only this time is measured.
        def late?(now, total, waiting)
          return (@since = nil) unless waiting
          return begin_period(now, total) if @since.nil?
          return false if now - @since < @seconds
          return true if total - @total < @minimum * @seconds

          begin_period(now, total)
        end

        # Describes the missed rate, for messages. of: for example " of a request's body".
        def shortfall(of = "") = "less than #{@minimum} bytes a second#{of} in #{@seconds} s"

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
