# frozen_string_literal: true

module Spate
  module Server
    class Reactor
      # A round over all connections, in which each is asked whether it is late; a few at a time, so that ten thousand
      # of them delay nobody.
      class TimeoutCheck
        SLICE = 256

        def initialize(connections)
          @waiting = connections
        end

        # Yields those of the next slice. Answers whether there are more.
        def step
          @waiting.pop(SLICE).each { |connection| yield connection unless connection.closed? }
          @waiting.any?
        end
      end

      # The server stops: each connection is told, and what is on its way from its peer still answered. Then those that
      # are quiet are left, and those with a request have until the end.
      class Drain
        # Seconds in which a quiet connection may still bring what its peer sent before it knew that the server stops;
        # and how often it is looked who is quiet.
        GRACE = 1
        LOOK = 0.05

        # seconds: that open requests have.
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

        # A connection that was told, or had a tick since.
        def note(connection, now)
          @seen[connection] = now
        end

        # Yields those that were quiet for as long as they may be, where it is time to look.
        def each_quiet(connections, now, &block)
          return if now < @look_at

          @look_at = now + LOOK
          connections.select { |connection| now - @seen[connection] >= @grace }.each(&block)
        end
      end
    end
  end
end
