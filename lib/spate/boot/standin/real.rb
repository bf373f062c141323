# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # The real Bundler, loaded where the answers of the stand-in end, in the state it has after Bundler.setup. What
      # the program holds already (specifications, the load path, the environment) stays.
      module Real
        class << self
          # From the moment that it is being loaded.
          def loaded? = @loaded == true

          # Whether all that it has can be asked.
          def complete? = @complete == true

          # The module Bundler, real from here on.
          def load
            return ::Bundler if @loaded

            @loaded = true
            library
            setup(Standin.current)
            @complete = true
            ::Bundler
          end

          # What the real Bundler has for a gem, nil where it knows none.
          def spec(name)
            load.definition.specs.to_a.find { |spec| spec.name == name }
          end

          private

          def library
            lib = Standin.current.facts[:lib]
            trigger = "#{FOLDER}/trigger.rb"
            ::Bundler.constants.each do |name|
              ::Bundler.send(:remove_const, name) if ::Bundler.autoload?(name) == trigger
            end
            original = ::Bundler::ORIGINAL_ENV
            ::Bundler.send(:remove_const, :ORIGINAL_ENV)
            keeping_environment { again("#{lib}/bundler.rb") }
            ::Bundler.send(:remove_const, :ORIGINAL_ENV)
            ::Bundler.const_set(:ORIGINAL_ENV, original)
          end

          # Loads a file that is marked as loaded.
          def again(path)
            $LOADED_FEATURES.delete(path)
            Kernel.require(path)
          end

          # As the real one does in Bundler.setup, but for the load path and Kernel#require, which are set up.
          def setup(activation)
            Replacements.remove
            ui = ::Gem::DefaultUserInteraction.ui if defined?(::Gem::DefaultUserInteraction)
            held = ::Gem.loaded_specs.dup
            specs = as_at_setup(activation) do
              ::Gem.loaded_specs.delete_if { |_, spec| spec.is_a?(Spec) }
              ::Gem::Specification.reset
              ::Bundler.ui.silence { ::Bundler.definition.specs }
            ensure
              ::Gem.loaded_specs.replace(held)
            end
            replace(specs)
            runtime = ::Bundler.load
            ::Bundler.instance_variable_set(:@setup, runtime)
            ::Gem::DefaultUserInteraction.ui = ui
          end

          def replace(specs)
            integration = ::Bundler.rubygems
            integration.instance_variable_get(:@replaced_methods).update(requires)
            without_requires(integration) { integration.replace_entrypoints(specs) }
            specs.each do |spec|
              integration.mark_loaded(spec) if ::Gem.loaded_specs[spec.name].is_a?(Spec)
            end
          end

          def requires = Replacements.former.select { |(name, _), _| name == :require }

          def without_requires(integration)
            integration.define_singleton_method(:reverse_rubygems_kernel_mixin) { nil }
            warner = ::Gem::BUNDLED_GEMS if defined?(::Gem::BUNDLED_GEMS)
            warner&.define_singleton_method(:replace_require) { |_| nil }
            yield
          ensure
            integration.singleton_class.send(:remove_method, :reverse_rubygems_kernel_mixin)
          end

          # The environment and the folder that the Gemfile saw.
          def as_at_setup(activation, &)
            keeping_environment do
              ENV.replace(activation.environment)
              same = Dir.pwd == activation.folder || !File.directory?(activation.folder)
              same ? yield : Dir.chdir(activation.folder, &)
            end
          end

          def keeping_environment
            env = ENV.to_h
            yield
          ensure
            ENV.replace(env)
          end
        end
      end
    end
  end
end
