# frozen_string_literal: true

module Spate
  module Boot
    module BundlerReplay
      # Reverts a failed activation, so that the real Bundler can set up the process. Loaded libraries stay loaded. This
      # file is loaded only after a failure.
      class Undo
        def initialize(activation)
          @library = activation.facts[:lib]
          @before = activation.before
        end

        # If one step fails, the others still run.
        def call
          %i[replacements specifications pathname bundler load_path environment memory].each do |step|
            send(step)
          rescue StandardError => e
            Log.line(:not_undone, step, e.message)
          end
        end

        private

        def replacements = Replacements.undo

        def specifications
          ::Gem.loaded_specs.replace(@before.specs)
          @before.active.each { |spec| spec.activated = true }
          ::Gem::Specification.reset
        end

        # Does nothing if pathname has been loaded.
        def pathname
          return unless ::Kernel.private_method_defined?(:__Pathname__, false)

          %i[Pathname __Pathname__].each { |name| ::Kernel.send(:remove_method, name) }
          Object.send(:remove_const, :Pathname) if Object.autoload?(:Pathname)
        end

        # Creates a new module, since extending a module cannot be undone.
        def bundler
          return unless Object.const_defined?(:Bundler, false)

          Object.send(:remove_const, :Bundler)
          return unless @before.bundler

          Object.const_set(:Bundler, Module.new)
          @before.bundler.each { |name, value| ::Bundler.const_set(name, value) }
        end

        # Also marks Bundler's files as not loaded.
        def load_path
          $LOAD_PATH.replace(@before.load_path)
          added = $LOADED_FEATURES.drop(@before.features)
          own = added.select { |path| path.start_with?("#{@library}/bundler/", "#{@library}/bundler.rb") }
          $LOADED_FEATURES.replace($LOADED_FEATURES - own) if own.any?
        end

        def environment
          ENV.replace(@before.environment)
          ::Gem.clear_paths
        end

        def memory
          Runtime.forget
          Real.forget
        end
      end
    end
  end
end
