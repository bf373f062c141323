# frozen_string_literal: true

module Spate
  module Boot
    module BundlerReplay
      # Replaces RubyGems' methods like Bundler does, so that only gems of the bundle are found: Kernel#gem,
      # Kernel#require without RubyGems' search, the lookup of executables, and the list of specifications.
      module Replacements
        class << self
          # { [method, owner] => the previous method }, in Bundler's format.
          attr_reader :former

          def install(activation)
            unless @former
              @former = {}
              @private = {}
              plain_require(activation)
              bundled_gems(activation)
            end
            kernel_gem(activation)
            executables(activation)
            specifications(activation.list(:all))
          end

          # Restores RubyGems' methods, except Kernel#require, which other code may have replaced since then.
          def remove
            @former.each { |(name, owner), method| define(owner, name, method) if name != :require }
            ::Gem.post_reset_hooks.delete(@hook)
          end

          # Restores the state before `install`.
          def undo
            return unless @former

            ::Gem.discover_gems_on_require = true if @switched
            each_kernel { |owner| forget_bundled_gems(owner) } if @warns
            @former.each { |(name, owner), method| put_back(owner, name, method) }
            ::Gem.post_reset_hooks.delete(@hook)
            @former = @switched = @warns = nil
          end

          private

          def put_back(owner, name, method)
            return owner.send(:remove_method, name) if method.owner != owner

            define(owner, name, method)
            owner.send(@private[[name, owner]] ? :private : :public, name)
          end

          # Reverts BUNDLED_GEMS.replace_require.
          def forget_bundled_gems(owner)
            return unless [*owner.instance_methods(false),
                           *owner.private_instance_methods(false)].include?(:no_warning_require)

            owner.send(:alias_method, :require, :no_warning_require)
            owner.send(:remove_method, :no_warning_require)
            owner.send(owner == ::Kernel ? :private : :public, :require)
          end

          # Makes Kernel#require skip RubyGems' search. Newer RubyGems versions have a switch for this, which newer
          # Bundler versions use.
          def plain_require(activation)
            if activation.facts[:require_switch]
              @switched = ::Gem.discover_gems_on_require
              return ::Gem.discover_gems_on_require = false
            end

            each_kernel do |owner|
              next unless owner.private_method_defined?(:gem_original_require)

              replace(owner, :require, owner.instance_method(:gem_original_require))
            end
          end

          # Ruby 3.3 and later warn about gems that will be removed from the standard library.
          def bundled_gems(activation)
            return unless activation.facts[:warns_of_bundled]

            require "bundled_gems"
            @warns = !::Kernel.respond_to?(:no_warning_require, true)
            ::Gem::BUNDLED_GEMS.replace_require(activation.list(:bundled))
          end

          def kernel_gem(activation)
            each_kernel do |owner|
              replace(owner, :gem, nil) do |wanted, *requirements|
                requirements.pop if requirements.last.is_a?(Hash)
                unless wanted.respond_to?(:name) && wanted.respond_to?(:requirement)
                  wanted = ::Gem::Dependency.new(wanted, requirements)
                end
                spec = activation.spec(wanted.name)
                next true if spec && wanted.matches_spec?(spec)

                raise Replacements.not_bundled(wanted, spec)
              end
              owner.send(:public, :gem) if activation.facts[:public_gem]
            end
          end

          def executables(activation)
            replace(::Gem.singleton_class, :find_spec_for_exe, nil) do |name, program = nil, *rest|
              holders = activation.list(:named).select { |spec| spec.executables.include?(program) }
              next holders.first if holders == [activation.spec(name)]

              # Bundler raises the right error.
              Real.load
              ::Gem.send(:find_spec_for_exe, name, program, *rest)
            end
            program_paths if activation.facts[:program_paths]
          end

          # Older Bundler versions replace the lookup of program paths as well.
          def program_paths
            %i[activate_bin_path bin_path].each do |name|
              replace(::Gem.singleton_class, name, nil) do |gem, program = nil, *requirements|
                next ENV.fetch("BUNDLE_BIN_PATH", nil) if program == "bundle"

                spec = find_spec_for_exe(gem, program, *requirements)
                path = File.join(spec.full_gem_path, spec.bindir, program)
                File.exist?(path) ? path : File.join(File.dirname(spec.loaded_from), spec.bindir, program)
              end
            end
          end

          def specifications(specs)
            ::Gem::Specification.all = specs
            @hook = proc { ::Gem::Specification.all = specs }
            ::Gem.post_reset(&@hook)
            replace(::Gem.singleton_class, :finish_resolve, nil) { |*| [] }
          end

          def each_kernel(&) = [::Kernel.singleton_class, ::Kernel].each(&)

          def replace(owner, name, method, &)
            @former[[name, owner]] ||= owner.instance_method(name).tap do
              @private[[name, owner]] = owner.private_method_defined?(name)
            end
            define(owner, name, method, &)
          end

          def define(owner, name, method, &block)
            visibility = owner.private_method_defined?(name) ? :private : :public
            owner.send(:remove_method, name) if owner.method_defined?(name, false) ||
                                                owner.private_method_defined?(name, false)
            owner.send(:define_method, name, method || block)
            owner.send(visibility, name)
          end
        end

        # Returns the error that Bundler raises if `gem` requests a gem that is not in the bundle.
        def self.not_bundled(wanted, spec)
          words = if spec
                    "can't activate #{wanted}, already activated #{spec.full_name}. " \
                      "Make sure all dependencies are added to Gemfile."
                  else
                    "#{wanted.name} is not part of the bundle. Add it to your #{::Bundler.default_gemfile.basename}."
                  end
          ::Gem::LoadError.new(words).tap do |error|
            error.name = wanted.name
            error.requirement = wanted.requirement
          end
        end
      end
    end
  end
end
