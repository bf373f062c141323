# frozen_string_literal: true

module Spate
  module CLI
    class Command
      # A command that only looks met a lockfile that is not its Gemfile's.
      class Disagreement < Error
        EXIT_CODE = 4

        # difference: what differs, one line.
        def initialize(difference)
          absent = difference == "there is no lockfile"
          super(absent ? difference : "Gemfile and lockfile disagree: #{difference}",
                hint: "`spate install` lets Bundler resolve first")
        end
      end
    end
  end
end
