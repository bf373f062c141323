# frozen_string_literal: true

module Spate
  module Gemfile
    module Child
      # Bundler's own opinion of a Gemfile beside its lockfile, in words. What only another version of Bundler would
      # write differently (BUNDLED WITH, CHECKSUMS) is no difference.
      class Judgement
        # What newer Bundlers resolve anew for, though nothing but checksums is missing.
        CHECKSUMS = %i[@locked_spec_with_missing_checksums @locked_spec_with_empty_checksums].freeze

        def initialize(definition, lockfile)
          @definition = definition
          @lockfile = lockfile
          CHECKSUMS.each { |name| definition.instance_variable_set(name, nil) }
        end

        # Lines; empty where Bundler would install from the lockfile as it stands.
        def differences
          return ["there is no lockfile"] unless @lockfile.file?
          return [] if Bundler.frozen_bundle? ? equivalent? : unchanged?

          found = [*platforms, *reasons, *dependency_differences]
          found.empty? ? ["Bundler would resolve anew"] : found
        end

        private

        # What `bundle install` checks before it installs a frozen bundle.
        def equivalent?
          @definition.ensure_equivalent_gemfile_and_lockfile(true)
          true
        rescue Bundler::ProductionError
          false
        end

        # What Bundler says where a frozen lockfile was made for other platforms.
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
          words.map { |word| word == "bundler is unlocking ruby" ? "the Ruby version that the Gemfile asks for" : word }
        rescue NoMethodError
          []
        end

        def dependency_differences
          @dependency_differences ||= begin
            wanted = @definition.dependencies.uniq(&:name).to_h { |dependency| [dependency.name, dependency] }
            locked = @definition.locked_dependencies.to_h { |dependency| [dependency.name, dependency] }
            (wanted.keys - locked.keys).map { |name| "the Gemfile adds #{words(wanted[name])}" } +
              (locked.keys - wanted.keys).map { |name| "the Gemfile has no #{name} any more" } +
              (wanted.keys & locked.keys).filter_map { |name| change(wanted[name], locked[name]) }
          end
        end

        # The lockfile may be younger than the Gemfile's line: `bundle add` locks before it knows the requirement.
        def change(wanted, locked)
          if wanted.requirement != locked.requirement
            return "the Gemfile wants #{wanted.name} as #{wanted.requirement}, the lockfile as #{locked.requirement}"
          end
          return if source(locked).include?(source(wanted))

          "#{wanted.name} is now wanted from #{name(wanted)}, it was from #{name(locked)}"
        end

        def source(dependency)
          dependency.source || @definition.send(:sources).default_source
        end

        def name(dependency)
          dependency.source ? dependency.source.identifier : "no specified source"
        end

        def words(dependency)
          dependency.requirement.none? ? dependency.name : "#{dependency.name} (#{dependency.requirement})"
        end
      end
    end
  end
end
