# frozen_string_literal: true

module Spate
  module Boot
    class Explain
      # The boot that was to be asked did not come that far. details: what it said.
      class Failed < Error
        EXIT_CODE = 11

        def initialize(details)
          super("the bundle could not be set up", details: details, hint: "spate check")
        end
      end
    end
  end
end
