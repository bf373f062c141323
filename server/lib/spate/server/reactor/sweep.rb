# frozen_string_literal: true

module Spate
  module Server
    class Reactor
      # Once a second each connection is asked whether it is late; a few at a time, so that ten thousand of them delay
      # nobody.
      class Sweep
        EVERY = 1
        SLICE = 256

        def initialize(now)
          @begun_at = now
          @waiting = []
        end

        # Whether a round begins with this call of `step`.
        def due?(now) = @waiting.empty? && now - @begun_at >= EVERY

        # Connections of this round that were not asked yet.
        def going_on? = !@waiting.empty?

        def begin(connections, now)
          @begun_at = now
          @waiting = connections
        end

        # Yields those of the next slice, to be asked.
        def step
          @waiting.pop(SLICE).each { |connection| yield connection unless connection.closed? }
        end
      end
    end
  end
end
