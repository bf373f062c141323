# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Planning
        # The package manager that the root's package.json pins. pnpm refuses to run where that is another tool, and,
        # with a frozen lockfile, where the lockfile does not record this pnpm (`packageManagerDependencies` in the
        # document before the project's).
        class Pin
          # The version that reads `devEngines.packageManager`, and then ignores `packageManager`.
          DEV_ENGINES = 11
          # The version whose `packageManager` is recorded.
          RECORDED = 12

          # package_json: the root's. recorded: the lockfile's version of pnpm, or nil. major: of the pnpm that reads
          # package.json.
          def initialize(package_json, recorded, major)
            @package_json = package_json
            @recorded = recorded
            @major = major
          end

          # [String], for people: what pnpm would end with, or decide by more settings.
          def reasons = [engines.any? ? unrecorded_engine : other || unrecorded].compact

          private

          def engines
            found = @package_json["devEngines"] if @major >= DEV_ENGINES
            found.is_a?(Hash) ? [found["packageManager"]].flatten(1).grep(Hash) : []
          end

          def named = @package_json["packageManager"].to_s
          def name = named[/\A[^@]*/]
          def version = named[/@([^+]+)/, 1]

          def other = ("packageManager: #{named}" unless ["", "pnpm"].include?(name))

          def unrecorded
            return if version.to_i < RECORDED || @recorded == version

            missing(version)
          end

          # Which tool it names, Demands compares.
          def unrecorded_engine
            wanted = engines.find { |each| each["name"] == "pnpm" && each["version"].is_a?(String) }
            return if wanted.nil? || wanted["onFail"] == "ignore"

            missing(wanted["version"]) unless @recorded && Npm::Semver.satisfies?(@recorded, wanted["version"])
          end

          def missing(wanted)
            "packageManagerDependencies of the lockfile: expected pnpm #{wanted}, found #{@recorded || "none"}"
          end
        end
      end
    end
  end
end
