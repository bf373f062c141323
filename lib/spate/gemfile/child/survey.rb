# frozen_string_literal: true

require_relative "../../util"

module Spate
  module Gemfile
    module Child
      # Converts a specification to plain values, in the order in which Boot::BundlerReplay::Spec reads them.
      module SpecFacts
        module_function

        # spec: a Gem::Specification, or a stub of Bundler or RubyGems.
        def of(spec)
          [spec.name.to_s, spec.version.to_s, spec.platform.to_s, spec.loaded_from&.to_s, spec.full_gem_path.to_s,
           strings(spec.raw_require_paths), strings(spec.full_require_paths), spec.extension_dir.to_s,
           strings(spec.extensions), kind(spec), spec.default_gem? ? true : false]
        end

        # The last field contains the stub's dependencies if the lockfile's dependencies differ from the gemspec's.
        def more(spec)
          full = full(spec)
          dependencies = full.dependencies.map { |dependency| dependency_facts(dependency) }
          shown = spec.dependencies.map { |dependency| dependency_facts(dependency) }
          [full.bindir.to_s, strings(full.executables), full.original_platform.to_s, dependencies,
           full.metadata.to_h { |key, value| [key.to_s, value.to_s] }, (shown if shown != dependencies)]
        end

        def full(spec) = spec.is_a?(Gem::Specification) ? spec : spec.send(:_remote_specification)

        def kind(spec)
          source = spec.respond_to?(:source) ? spec.source : nil
          case source
          when Bundler::Source::Git then :git
          when Bundler::Source::Path then :path
          when Bundler::Source::Rubygems, nil then :gem
          else source.class.name.to_s.start_with?("Gem::Source", "Bundler::Source::Metadata") ? :gem : :other
          end
        end

        def dependency_facts(dependency)
          [dependency.name.to_s, dependency.type, dependency.requirement.as_list, dependency.prerelease? || false]
        end

        def strings(list) = Array(list).flatten.map(&:to_s)
      end

      # Runs Bundler.setup and returns its effects as a Hash of plain values. If the Gemfile fails, returns the reason
      # in :refused.
      class Survey
        PREFIX = Util::Environment::PREFIX
        # Variables that Bundler extends (see Activation#composed).
        COMPOSED = %w[PATH RUBYOPT RUBYLIB MANPATH].freeze
        # Bundler's files that only this process needs.
        OURS = %w[ui/silent.rb settings/validator.rb].freeze
        # Bundler's files that can be loaded without other files of Bundler.
        STANDALONE = %w[errors.rb version.rb constants.rb].freeze
        VENDORED = %r{/rubygems/vendor/uri/}
        # Matches `autoload` at the top level of a file.
        AUTOLOAD = /^autoload :(\w+), ["']([^"']+)["']/

        # Process state that a Gemfile must not change.
        def self.process
          [Dir.pwd, File.umask, Encoding.default_external, Encoding.default_internal,
           *%i[deprecated experimental].map { |category| Warning[category] }]
        end

        # run: Run
        def initialize(run)
          @run = run
          @gemfile = run.gemfile
          @before = run.before
          @process = Survey.process
          @answer = {}
        end

        # definition: the Bundler::Definition, or nil if the Gemfile could not be evaluated.
        def call(definition)
          refuse("the lockfile requires another Bundler than #{Bundler::VERSION}") if other_bundler?
          refuse("Bundler is configured to install by itself (auto_install)") if Bundler.settings[:auto_install]
          definition ? answer_of(definition) : failed(@run.failure)
          @answer
        rescue Exception => e # rubocop:disable Lint/RescueException -- `exit` and syntax errors in a Gemfile too
          failed(e)
          @answer
        end

        private

        def failed(error)
          words = error.message.lines.map { |line| line.delete_prefix("[!] ").strip }.reject(&:empty?)
          refuse("#{error.class}: #{words.first(2).join(" ")}")
        end

        def refuse(reason) = (@answer[:refused] ||= []) << reason

        # Whether Bundler would restart with the lockfile's version. Newer versions do so if it is installed.
        def other_bundler?
          return false unless Bundler.respond_to?(:auto_switch)

          locked = Bundler::LockfileParser.bundled_with
          locked && locked.to_s != Bundler::VERSION &&
            Gem::Specification.stubs_for("bundler").any? { |stub| stub.version.to_s == locked.to_s }
        rescue SystemCallError, NoMethodError
          false
        end

        def answer_of(definition)
          evaluated(definition)
          @run.mark(:replay)
          return if @answer[:refused]

          Bundler.self_manager if Bundler.respond_to?(:auto_switch)
          Bundler.ui.silence { Bundler.setup }
          facts = { **place, **environment, **rubygems(definition), **effects(@run.hooks.origin),
            load_path: $LOAD_PATH - @before[:load_path], dependencies: dependencies(definition),
            constants: constants, autoloads: autoloads, marks: marks }
          @answer.update(more: facts.delete(:more), facts: facts)
        end

        def evaluated(definition)
          @run.watched do
            Bundler.ui.silence do
              definition.validate_runtime!
              definition.specs
            end
          end
        ensure
          reasons = @run.calls.started
          reasons.each { |reason| refuse("the Gemfile, or a gemspec, #{reason}") }
          @run.hooks.plugins.each { |name| refuse("the Gemfile uses the Bundler plugin #{name}") }
          refuse("the Gemfile, or a gemspec, changes the process: its folder, umask, warnings or encoding") if
            Survey.process != @process
        end

        def place
          refuse("Bundler uses #{Bundler.default_gemfile}") if Bundler.default_gemfile.to_s != @gemfile
          { lib: lib,
            gemfile: Bundler.default_gemfile.to_s, lockfile: Bundler.default_lockfile.to_s, root: Bundler.root.to_s,
            bundle_path: Bundler.bundle_path.to_s, rubygems: Gem::VERSION }
        end

        def lib = File.dirname(Bundler.method(:setup).source_location.first)

        def environment
          after = ENV.to_h.except(*Hooks::TRACER_VARIABLES)
          saved, changed = (after.to_a - @before[:env].to_a).to_h.partition { |key, _| key.start_with?(PREFIX) }
          changed = changed.to_h
          { env_saved: saved.map { |key, _| key.delete_prefix(PREFIX) },
            env_set: changed.except(*COMPOSED), env_deleted: @before[:env].keys - after.keys,
            env_composed: composed(changed) }
        end

        # The parts that Bundler prepended to the previous values of variables.
        def composed(changed)
          COMPOSED.to_h do |key|
            separator = key == "RUBYOPT" ? " " : File::PATH_SEPARATOR
            former = @before[:env][key].to_s.split(separator)
            [key, changed[key] && (changed[key].split(separator) - former)]
          end.compact
        end

        # specs: the specifications that the Bundler replay needs, without duplicates. The other lists are indexes into
        # specs.
        def rubygems(definition)
          bundled = definition.specs.to_a
          all = Gem::Specification.stubs.each.to_a
          loaded = Gem.loaded_specs.except(*@before[:loaded]).values
          named = by_name(bundled)
          kept = [*loaded, *bundled, *all, *named.values].uniq { |spec| [spec.full_name, spec.loaded_from] }
          position = kept.each_with_index.to_h { |spec, index| [[spec.full_name, spec.loaded_from], index] }
          indexes = ->(list) { list.map { |spec| position.fetch([spec.full_name, spec.loaded_from]) } }
          others = kept.map { |spec| SpecFacts.kind(spec) }.uniq - %i[gem git path]
          refuse("a gem comes from a source of a plugin") if others.any?
          { specs: kept.map { |spec| SpecFacts.of(spec) }, loaded: indexes.call(loaded), all: indexes.call(all),
            named: indexes.call(named.values), bundled: indexes.call(bundled),
            more: kept.map { |spec| SpecFacts.more(spec) },
            public_gem: Kernel.public_method_defined?(:gem),
            warns_of_bundled: replaced_by_ruby?,
            program_paths: replaced.include?(:bin_path), requires_formerly: requires_formerly?,
            require_switch: Gem.respond_to?(:discover_gems_on_require) && !Gem.discover_gems_on_require }
        end

        # Names of RubyGems' methods that Bundler has replaced.
        def replaced = Bundler.rubygems.instance_variable_get(:@replaced_methods).map { |(name, _), _| name }

        # Newer Ruby versions warn when a program requires a gem that was part of the standard library.
        def replaced_by_ruby?
          (Kernel.private_instance_methods | Kernel.instance_methods).include?(:no_warning_require)
        end

        # Older Bundler versions do not wrap a gem's LoadError, and search for `a/b` differently.
        def requires_formerly? = File.read("#{lib}/bundler/runtime.rb").include?("namespaced_file")

        # Includes default gems that are not in the bundle.
        def by_name(bundled)
          named = bundled.to_h { |spec| [spec.name, spec] }
          Bundler.rubygems.default_stubs.each { |stub| named[stub.name] ||= stub.to_spec }
          named
        end

        def dependencies(definition)
          definition.dependencies.map do |dependency|
            by_environment = dependency.instance_variable_get(:@env)
            refuse("#{dependency.name} depends on an environment key when it is required") if by_environment
            [dependency.name, dependency.groups.map(&:to_sym), dependency.autorequire&.then { |list| plain(list) },
             dependency.should_include? ? true : false]
          end
        end

        def plain(list) = Array(list).map { |file| file == true ? true : file.to_s }

        # [[name, path]] of Bundler's constants. path: the file that defines the constant if Bundler autoloads it or the
        # file can be loaded alone, otherwise nil.
        def constants
          Bundler.constants.map do |name|
            path = Bundler.const_source_location(name)&.first.to_s
            [name, Bundler.autoload?(name) || (path if standalone?(path))]
          end
        end

        def standalone?(path) = STANDALONE.any? { |file| path == "#{lib}/bundler/#{file}" }

        # Constants that Bundler or RubyGems' copy of URI registers for autoload in Object, because programs use some of
        # them (IPAddr) without requiring them. Extracted from the text of the files, because this process may already
        # have loaded the constants. Includes the loaded parts of RubyGems.
        def autoloads
          files = $LOADED_FEATURES.select { |path| path.start_with?("#{lib}/bundler/") || path.match?(VENDORED) }
          late = files.flat_map { |path| File.read(path, encoding: Encoding::UTF_8).scan(AUTOLOAD) }.uniq
          late.map { |name, feature| ["Object", name.to_sym, feature] } + parts_of_rubygems
        end

        def parts_of_rubygems
          (Gem.constants - @before[:gem_constants]).filter_map do |name|
            path = Gem.const_source_location(name)&.first.to_s
            ["Gem", name, path] if path.start_with?("#{rubygems_folder}/") && !Gem.autoload?(name)
          end
        end

        def rubygems_folder = "#{File.dirname(Gem.method(:path).source_location.first)}/rubygems"

        # Bundler's loaded files, except files that only this process needed.
        def marks
          files = ($LOADED_FEATURES - OURS.map { |file| "#{lib}/bundler/#{file}" }).select do |path|
            path.start_with?("#{lib}/bundler/") && !standalone?(path)
          end
          ["#{lib}/bundler.rb", "#{lib}/bundler/setup.rb"] | files
        end

        # Files that the Gemfile or gemspecs have loaded. Refuses if they have defined constants themselves.
        def effects(origin)
          features = $LOADED_FEATURES - @before[:features]
          own, library = features.partition { |path| !origin.file?(path) }
          strange = (Object.constants - @before[:constants]).reject do |name|
            path = Object.const_source_location(name)&.first
            !path || origin.file?(path) || own.include?(path)
          end
          refuse("the Gemfile, or a gemspec, defines #{strange.join(", ")}") if strange.any?
          # RubyGems loads parts of gems if the Gemfile reads RubyGems' configuration.
          gems = (@before[:gem_path] | Gem.path).map { |path| "#{path}/" }
          own = own.reject { |path| gems.any? { |place| path.start_with?(place) } }
          { replayed: own, library: library.select { |path| rubys_own?(path) } }
        end

        # Whether the file belongs to Ruby's standard library, not to Bundler, RubyGems or Spate.
        def rubys_own?(path)
          folders = [lib, File.expand_path("../../../..", __dir__), rubygems_folder]
          folders.none? { |folder| path.start_with?("#{folder}/") }
        end
      end
    end
  end
end
