# frozen_string_literal: true

module Spate
  module Boot
    module BundlerReplay
      # Loads the real Bundler for calls that the Bundler replay does not support, and brings it into the state after
      # Bundler.setup. Objects that the program may already reference (specifications, the load path, the environment)
      # are kept.
      module Real
        class << self
          # true as soon as loading begins.
          def loaded? = @state != nil

          # Whether the real Bundler is completely loaded.
          def complete? = @state == :complete

          # Replaces the module Bundler with the real one. Raises Bundler's error if its setup fails. The Bundler replay
          # then stays active.
          def load
            return ::Bundler if @state

            @state = :loading
            library unless @library
            @library = true
            setup(BundlerReplay.current)
            @state = :complete
            ::Bundler
          rescue ::StandardError, ::ScriptError
            @state = nil
            raise
          end

          # Resets the state to before loading.
          def forget = @state = @library = nil

          private

          def library
            facts = BundlerReplay.current.facts
            facts[:constants].each { |name, path| ::Bundler.send(:remove_const, name) unless path }
            marks = facts[:marks].to_h { |path| [path, true] }
            $LOADED_FEATURES.reject! { |path| marks[path] }
            keeping_environment { Kernel.require("#{facts[:lib]}/bundler.rb") }
            ::Bundler.send(:remove_const, :ORIGINAL_ENV)
            ::Bundler.const_set(:ORIGINAL_ENV, BundlerReplay.current.original_env)
            $LOADED_FEATURES << "#{facts[:lib]}/bundler/setup.rb"
          end

          # Like Bundler.setup, except for the load path and Kernel#require, which are already set up.
          def setup(activation)
            Replacements.remove
            ui = ::Gem::DefaultUserInteraction.ui if defined?(::Gem::DefaultUserInteraction)
            specs = with_setup_state(activation) { ::Bundler.ui.silence { ::Bundler.definition.specs } }
            replace(specs)
            ::Bundler.instance_variable_set(:@setup, ::Bundler.load)
            ::Gem::DefaultUserInteraction.ui = ui
          rescue ::StandardError, ::ScriptError
            Replacements.install(activation)
            raise
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

          # Prevents Bundler from installing Ruby's warning about bundled gems a second time.
          def without_requires(integration)
            integration.define_singleton_method(:reverse_rubygems_kernel_mixin) { nil }
            yield
          ensure
            integration.singleton_class.send(:remove_method, :reverse_rubygems_kernel_mixin)
          end

          # Runs the block with the environment, working directory and active gems from before the activation.
          def with_setup_state(activation, &)
            keeping_environment do
              ENV.replace(activation.before.environment)
              without_bundle do
                folder = activation.before.folder
                Dir.pwd == folder || !File.directory?(folder) ? yield : Dir.chdir(folder, &)
              end
            end
          end

          # Substitutes another Hash instead of changing it, because another thread may be iterating over the original.
          def without_bundle
            held = ::Gem.loaded_specs
            ::Gem.instance_variable_set(:@loaded_specs, held.reject { |_, spec| spec.is_a?(Spec) })
            ::Gem::Specification.reset
            yield
          ensure
            ::Gem.instance_variable_set(:@loaded_specs, held)
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
