# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # The delay before a dead worker is replaced: none at first, then longer each time while workers die soon after
      # their start.
      class Backoff
        # Seconds. YOUNG: a worker that dies before this age died young. FIRST, LONGEST: the first and the longest
        # delay.
        YOUNG = 5
        FIRST = 0.1
        LONGEST = 10

        def initialize
          @deaths = 0
        end

        # Returns the delay in seconds before a dead worker is replaced. lived: the worker's age in seconds.
        def after(lived)
          @deaths = lived < YOUNG ? @deaths + 1 : 0
          @deaths < 2 ? 0 : [FIRST * (2**(@deaths - 2)), LONGEST].min
        end
      end
    end
  end
end
