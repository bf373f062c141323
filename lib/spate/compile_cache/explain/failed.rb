# frozen_string_literal: true

module Spate
  module CompileCache
    class Explain
      # The boot failed before it could be queried. details: its output.
      class Failed < Error
        EXIT_CODE = 11

        def initialize(details)
          super("the bundle could not be set up", details: details, hint: "spate check")
        end
      end
    end
  end
end
