# frozen_string_literal: true

module Spate
  module Server
    class Reactor
      # Checks all connections for timeouts, a few at a time, so that even ten thousand connections do not delay
      # requests.
      class TimeoutCheck
        SLICE = 256

        def initialize(connections)
          @waiting = connections
        end

        # Yields the connections of the next slice. Returns whether there are more slices.
        def step
          @waiting.pop(SLICE).each { |connection| yield connection unless connection.closed? }
          @waiting.any?
        end
      end

      # Shutdown: each peer is notified, and requests in transit are still answered. Then quiet connections are closed;
      # connections with an open request may continue until the deadline.
      class Drain
        # Seconds. GRACE: how long a quiet connection may still deliver requests that were sent before its peer was
        # notified. LOOK: interval between checks.
        GRACE = 1
        LOOK = 0.05

        # seconds: the time limit for open requests.
        def initialize(now, seconds)
          @ends_at = now + seconds
          @grace = [GRACE, seconds].min
          @look_at = now + @grace
          @seen = {}.compare_by_identity
        end

        def halt
          @ends_at = 0
        end

        def over?(now) = now > @ends_at
        def told?(connection) = @seen.key?(connection)

        # Records that a connection was notified, or had a tick.
        def note(connection, now)
          @seen[connection] = now
        end

        # When a check is due, yields the connections that were quiet for the grace period.
        def each_quiet(connections, now, &block)
          return if now < @look_at

          @look_at = now + LOOK
          connections.select { |connection| now - @seen[connection] >= @grace }.each(&block)
        end
      end
    end
  end
end
