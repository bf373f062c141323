# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      module Child
        # What a Gemfile may ask that answers otherwise each time. Told to the Trace like its other hooks.
        module Clock
          ASKED = {
            Time => [:now], Process => [:clock_gettime], Date => [:today], DateTime => [:now],
            Random => %i[new rand bytes random_number new_seed urandom seed]
          }.freeze
          OWN = %i[rand srand].freeze

          def self.install
            hooks = Gemfile::Child::Hooks
            ASKED.each do |owner, names|
              owner.singleton_class.prepend(hooks.before(names & owner.methods) do |trace, *, path|
                trace.reject("reads #{owner}, which answers otherwise each time", path)
              end)
            end
            random = hooks.before(OWN) { |trace, *, path| trace.reject("asks for a random number", path) }
            [Kernel, Kernel.singleton_class].each { |owner| owner.prepend(random) }
          end
        end
      end
    end
  end
end
