# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      module Child
        # What a Gemfile may ask that answers otherwise each time. Told to the Trace like its other hooks.
        module Clock
          ASKED = {
            Time: [:now], Process: [:clock_gettime], Date: [:today], DateTime: [:now],
            Random: %i[new rand bytes random_number new_seed urandom seed]
          }.freeze
          OWN = %i[rand srand].freeze

          # `date` is not loaded for this: which `date` comes, and where on the load path, is the bundle's business.
          module Requires
            def require(feature)
              super.tap { Clock.hook }
            end
          end

          def self.install
            hooks = Gemfile::Child::Hooks
            random = hooks.before(OWN) { |trace, *, path| trace.reject("asks for a random number", path) }
            [Kernel, Kernel.singleton_class].each { |owner| owner.prepend(random) }
            hook
            Kernel.prepend(Requires)
          end

          # Hooks what is defined by now.
          def self.hook
            @left ||= ASKED.keys
            found, @left = @left.partition { |name| Object.const_defined?(name) }
            found.each do |name|
              owner = Object.const_get(name)
              names = ASKED[name] & owner.methods
              owner.singleton_class.prepend(Gemfile::Child::Hooks.before(names) do |trace, *, path|
                trace.reject("reads #{name}, which answers otherwise each time", path)
              end)
            end
          end
        end
      end
    end
  end
end
