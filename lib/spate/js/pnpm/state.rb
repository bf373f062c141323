# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # What pnpm keeps in node_modules of how it was made.
      class State
        # planning: Planning.
        def initialize(planning)
          @planning = planning
        end

        # { path relative to the root => content }. outcome: Outcome.
        def files(_outcome) = {}
      end
    end
  end
end
