# frozen_string_literal: true

module Spate
  module Boot
    module BundlerReplay
      # Sets up a process as Bundler.setup would, using the facts of a record:
      #
      #   lib, gemfile, lockfile, root, bundle_path, rubygems            paths, and RubyGems' version
      #   env_saved, env_set, env_deleted, env_composed                  see variables
      #   load_path     the folders that Bundler adds, in order
      #   specs         see Gemfile::Child::SpecFacts; the following are indexes into it:
      #   loaded, all, named, bundled   Gem.loaded_specs, Gem::Specification, gems that `gem` finds, gems of the bundle
      #   dependencies  [name, groups, autorequire, whether to include it on this platform]
      #   constants     [name, file to autoload, or nil to load the real Bundler]
      #   autoloads     [module, name, feature]
      #   marks         Bundler's files that its setup has loaded
      #   public_gem, warns_of_bundled, require_switch, program_paths, requires_formerly   this Bundler's features
      #   replayed      files that the Gemfile or gemspecs loaded; library: standard library files that Bundler loaded
      class Activation
        # The state of a process before the activation: its environment, working directory, $LOAD_PATH, number of loaded
        # features, Gem.loaded_specs, the active ones among them, and constants of Bundler (nil if it is not defined).
        Before = Struct.new(:environment, :folder, :load_path, :features, :specs, :active, :bundler)

        # original_env: the environment before any Bundler; before: the state of this process before the activation.
        attr_reader :record, :facts, :specs, :original_env, :before

        def initialize(record)
          @record = record
          @facts = record.facts
        end

        # Returns the reason (String) why the record cannot be used in this process, or nil.
        def obstacle
          return "RubyGems is #{::Gem::VERSION}, not #{@facts[:rubygems]}" unless ::Gem::VERSION == @facts[:rubygems]
          return "Bundler is already loaded" if defined?(::Bundler) && ::Bundler.respond_to?(:setup)

          @facts[:loaded].each do |index|
            name, version = @facts[:specs][index]
            active = ::Gem.loaded_specs[name] or next
            return "#{name} #{active.version} is active, not #{version}" unless active.version.to_s == version
          end
          nil
        end

        # Raises Failed after an error. The process is then unchanged.
        def call
          @before = current_state
          activate
        rescue SystemExit, SignalException
          raise
        rescue Exception => e # rubocop:disable Lint/RescueException -- the real Bundler sets up instead
          Undo.new(self).call if before
          raise Failed, "#{e.class}: #{e.message.lines.first.to_s.chomp}"
        end

        # Returns [Spec]. kind: :loaded, :all, :named or :bundled.
        def list(kind) = @specs.values_at(*@facts[kind])

        def spec(name) = @by_name[name]

        # Rarely needed fields of a spec (Gemfile::Child::SpecFacts.more). Compares by identity, because a name may
        # occur twice: as a gem of the bundle and as a default gem.
        def more(fields) = @record.more[@facts[:specs].index { |known| known.equal?(fields) }]

        # [Dependency] of the Gemfile, in the Gemfile's order.
        def dependencies = @dependencies ||= @facts[:dependencies].map { |fields| Dependency.new(*fields) }

        private

        def current_state
          bundler = ::Bundler.constants.to_h { |name| [name, ::Bundler.const_get(name)] } if defined?(::Bundler)
          Before.new(ENV.to_h, Dir.pwd, $LOAD_PATH.dup, $LOADED_FEATURES.size, ::Gem.loaded_specs.dup,
                     ::Gem.loaded_specs.values.select(&:activated), bundler)
        end

        def activate
          @original_env = Util::Environment.original(before.environment).except(Exec::Children::BUNDLER)
          @facts[:replayed].each { |path| Kernel.require(path) }
          variables
          more = method(:more)
          @specs = @facts[:specs].map { |fields| Spec.of(fields, more) }
          gems
          bundler
          libraries
          # Comes last because the next require after a change to $LOAD_PATH rescans all of it.
          clean_load_path
          load_path
          features
        end

        # Sets environment variables as bundler/setup does.
        def variables
          prefix, unset = Util::Environment::PREFIX, Util::Environment::NOT_SET
          @facts[:env_saved].each { |key| ENV[prefix + key] ||= ENV[key] || unset }
          @facts[:env_deleted].each { |key| ENV.delete(key) }
          @facts[:env_set].each { |key, value| ENV[key] = value }
          @facts[:env_composed].each { |key, added| ENV[key] = composed(key, added, ENV[key]) }
        end

        # Prepends Bundler's part to the previous value.
        def composed(key, added, former)
          return former&.start_with?(added.first) ? former : [*added, *former].join(" ") if key == "RUBYOPT"

          former = key == "MANPATH" && !former ? [""] : former.to_s.split(File::PATH_SEPARATOR)
          (added + former).uniq.join(File::PATH_SEPARATOR)
        end

        # Removes the folders of previously active gems, except those from which a file was loaded.
        def clean_load_path
          active = before.specs.values.flat_map(&:full_require_paths) & $LOAD_PATH
          active.each do |path|
            resolved = File.exist?(path) ? File.realpath(path) : File.expand_path(path)
            next if $LOADED_FEATURES.any? { |feature| feature.start_with?(resolved) }

            $LOAD_PATH.delete(path)
          end
          $LOAD_PATH.uniq!
        end

        def gems
          @by_name = list(:named).to_h { |spec| [spec.name, spec] }
          ::Gem.clear_paths
          Replacements.install(self)
          list(:loaded).each do |spec|
            ::Gem.loaded_specs[spec.name]&.activated = false
            spec.activated = true
            ::Gem.loaded_specs[spec.name] = spec
          end
        end

        def load_path
          present = $LOAD_PATH.to_h { |path| [path, true] }
          added = @facts[:load_path].reject { |path| present[path] }
          at = ::Gem.load_path_insert_index
          at ? $LOAD_PATH.insert(at, *added) : $LOAD_PATH.unshift(*added)
        end

        def features = $LOADED_FEATURES.concat(@facts[:marks])

        def bundler
          Object.const_set(:Bundler, Module.new) unless defined?(::Bundler)
          ::Bundler.extend(BundlerMethods)
          ::Bundler.const_set(:ORIGINAL_ENV, @original_env)
          present = ::Bundler.constants
          trigger = "#{FOLDER}/trigger.rb"
          @facts[:constants].each do |name, path|
            ::Bundler.autoload(name, path || trigger) unless present.include?(name)
          end
        end

        # Loads the standard library files that Bundler loads. `pathname`, the largest one, is loaded on first use.
        def libraries
          late, others = @facts[:library].partition { |path| path.match?(%r{/pathname\.\w+\z}) }
          others.each { |path| Kernel.require(path) }
          pathname if late.any?
          @facts[:autoloads].each { |owner, name, feature| Object.const_get(owner).autoload(name, feature) }
        end

        def pathname
          return if defined?(::Pathname)

          Object.autoload(:Pathname, "pathname")
          Kernel.module_eval do
            def Pathname(path) # rubocop:disable Naming/MethodName
              Kernel.send(:remove_method, :Pathname)
              ::Kernel.require("pathname")
              Pathname(path)
            end
            # Ruby does not warn about redefining a method that has an alias.
            alias_method :__Pathname__, :Pathname
            private :Pathname, :__Pathname__
          end
        end
      end
    end
  end
end
