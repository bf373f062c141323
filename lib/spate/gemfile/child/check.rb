# frozen_string_literal: true

require_relative "../facts"

module Spate
  module Gemfile
    module Child
      # Collects the result of the evaluation in Facts. Bundler's definition determines whether the lockfile matches.
      # Differences in BUNDLED WITH are ignored.
      class Check
        # If only these checksums are missing, newer Bundler versions resolve again, or reject a frozen bundle.
        CHECKSUMS = %i[@locked_spec_with_missing_checksums @locked_spec_with_empty_checksums].freeze

        # The exception that ended the evaluation, or nil.
        attr_reader :failure

        def initialize(lockfile)
          @lockfile = Pathname.new(lockfile)
          @facts = Facts.new(bundler_version: Bundler::VERSION)
        end

        def of(definition)
          @definition = definition
          CHECKSUMS.each { |name| definition.instance_variable_set(name, nil) } unless Bundler.frozen_bundle?
          @facts.differences = texts(differences)
          @facts.misfit = misfit
          @facts.dependencies = definition.dependencies.uniq(&:name).map { |dependency| dependency(dependency) }
          @facts.optional_groups = definition.instance_variable_get(:@optional_groups).uniq.map(&:to_sym)
          @facts.path_specs = path_specs
        end

        # Omits the class of Bundler's own errors, whose messages are written for users.
        def failed(error)
          @failure = error
          words = error.is_a?(Bundler::BundlerError) ? error.message : "#{error.class}: #{error.message}"
          @facts.failure = text(words).scrub.strip.lines(chomp: true)
        end

        # hooks: the Hooks that have recorded the Gemfile's plugins and sources.
        def facts(hooks)
          @facts.plugins = texts(hooks.plugins)
          @facts.sources = texts(hooks.remotes)
          @facts
        end

        private

        def dependency(dependency)
          forced = dependency.respond_to?(:force_ruby_platform) && dependency.force_ruby_platform
          Dependency.new(text(dependency.name), dependency.groups.map(&:to_sym), !!dependency.should_include?,
                         (true if forced))
        end

        # The reason why the Gemfile excludes this Ruby, or nil. The planner checks platforms.
        def misfit
          @definition.validate_ruby!
          nil
        rescue Bundler::RubyVersionMismatch => e
          text(e.message)
        end

        # [PathSpec] of path sources whose folders exist.
        def path_specs
          paths = @definition.send(:sources).path_sources.grep_v(Bundler::Source::Git)
          paths.flat_map do |source|
            source.specs.map { |spec| path_spec(spec) }
          rescue Bundler::PathError
            []
          end
        end

        def path_spec(spec)
          path = "#{spec.full_gem_path}/"
          folder = path.delete_prefix("#{@lockfile.dirname}/").chomp("/")
          PathSpec.new(*[spec.name, spec.version, folder.empty? ? "." : folder, spec.bindir].map { |one| text(one) },
                       texts(spec.executables))
        end

        # Lines that describe why Bundler would not install from the current lockfile, or [].
        def differences
          return ["there is no lockfile"] unless @lockfile.file?

          missing = missing_checksum
          return [] if Bundler.frozen_bundle? ? equivalent? && !missing : unchanged?

          found = [*platforms, *reasons, *dependency_differences, *missing]
          found.empty? ? ["Bundler would resolve again"] : found
        end

        # Whether the lockfile passes the checks of `bundle install` for a frozen bundle.
        def equivalent?
          @definition.ensure_equivalent_gemfile_and_lockfile(true)
          true
        rescue Bundler::ProductionError
          false
        end

        # Bundler's message if it rejects a frozen bundle because of a missing checksum (since 2.6; since 2.7 also for a
        # row without a digest). Repeats Bundler's check, because the lockfile may require such a version while this
        # process runs an older one.
        def missing_checksum
          locked = @definition.locked_gems
          return if !Bundler.frozen_bundle? || @definition.instance_variable_defined?(CHECKSUMS.first)
          return unless locked.bundler_version && locked.bundler_version >= Gem::Version.new("2.6")

          row = locked.bundler_version >= Gem::Version.new("2.7") ? /^ {2}(\S+ \(\S+\)) \S/ : /^ {2}(\S+ \(\S+\))/
          rows = @lockfile.read[/^CHECKSUMS\n((?: .*\n)*)/, 1]&.scan(row)&.flatten or return
          spec = locked.specs.find { |one| !rows.include?(one.to_lock[/\S+ \(\S+\)/]) }
          "your lockfile is missing a CHECKSUMS entry for \"#{spec.name}\"" if spec
        end

        # Bundler's message if a frozen lockfile does not support this platform.
        def platforms
          @definition.validate_platforms! if Bundler.frozen_bundle?
          []
        rescue Bundler::ProductionError => e
          [e.message.tr("\n", " ")]
        end

        def unchanged?
          dependency_differences.empty? && !@definition.unlocking? && @definition.nothing_changed?
        end

        def reasons
          words = @definition.send(:change_reason).to_s.split(", ")
          words.map { |word| word == "bundler is unlocking ruby" ? "the Ruby version in the Gemfile" : word }
        rescue NoMethodError
          []
        end

        def dependency_differences
          @dependency_differences ||= begin
            wanted = @definition.dependencies.uniq(&:name).to_h { |dependency| [dependency.name, dependency] }
            locked = @definition.locked_dependencies.to_h { |dependency| [dependency.name, dependency] }
            (wanted.keys - locked.keys).map { |name| "the Gemfile adds #{words(wanted[name])}" } +
              (locked.keys - wanted.keys).map { |name| "the Gemfile no longer has #{name}" } +
              (wanted.keys & locked.keys).filter_map { |name| change(wanted[name], locked[name]) }
          end
        end

        # Describes how a dependency differs, or returns nil. The text does not claim which file has changed, because
        # `bundle add` updates the lockfile first.
        def change(wanted, locked)
          if wanted.requirement != locked.requirement
            return "#{wanted.name} is #{wanted.requirement} in the Gemfile, but #{locked.requirement} in the lockfile"
          end
          return if source(locked).include?(source(wanted))

          "#{wanted.name} is from #{name(wanted)} in the Gemfile, but from #{name(locked)} in the lockfile"
        end

        def source(dependency) = dependency.source || @definition.send(:sources).default_source

        def name(dependency) = dependency.source ? dependency.source.identifier : "no specified source"

        def words(dependency)
          dependency.requirement.none? ? dependency.name : "#{dependency.name} (#{dependency.requirement})"
        end

        def texts(list) = list.map { |one| text(one) }

        # Converts an object from a Gemfile to a plain String.
        def text(object) = String.new(object.to_s, encoding: Encoding::UTF_8)
      end
    end
  end
end
