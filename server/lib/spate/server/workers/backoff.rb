# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # How long to wait before a worker that died is replaced: not at all, but longer each time where workers keep
      # dying young.
      class Backoff
        # Seconds: older than this nobody died young; the first and the longest wait.
        YOUNG = 5
        FIRST = 0.1
        LONGEST = 10

        def initialize
          @deaths = 0
        end

        # lived: seconds. Answers the seconds until the next.
        def after(lived)
          @deaths = lived < YOUNG ? @deaths + 1 : 0
          @deaths < 2 ? 0 : [FIRST * (2**(@deaths - 2)), LONGEST].min
        end
      end
    end
  end
end
