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
    end
  end
end
