# frozen_string_literal: true

module Spate
  module CLI
    class Command
      # A read-only command found a lockfile that does not match its Gemfile.
      class Disagreement < Error
        EXIT_CODE = 4

        # difference: one line about what differs.
        def initialize(difference)
          absent = difference == "there is no lockfile"
          super(absent ? difference : "Gemfile and lockfile disagree: #{difference}",
                hint: "spate install, which has Bundler resolve first")
        end
      end
    end
  end
end
