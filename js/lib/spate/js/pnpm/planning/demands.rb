# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Planning
        # Versions of pnpm and node that the project's package.json files ask for. pnpm refuses to run with others, or
        # downloads them.
        class Demands
          IGNORED = %w[ignore warn].freeze

          # manifests: { id => package.json }. version: of the pnpm whose rules count, nil where none is known.
          def initialize(manifests, version, env)
            @manifests = manifests
            @version = version
            @env = env
          end

          # [String], for people: what only pnpm can do something about.
          def reasons = engines + dev_engines

          private

          def engines
            @manifests.filter_map do |id, manifest|
              wanted = manifest["engines"].is_a?(Hash) ? manifest["engines"]["pnpm"] : nil
              "engines.pnpm: #{wanted} (#{id})" unless fits?(wanted) { @version }
            end
          end

          def dev_engines
            wanted = @manifests["."]["devEngines"]
            return [] unless wanted.is_a?(Hash)

            [unmet(wanted, "packageManager", "pnpm") { |one| one["onFail"] == "error" ? installed : @version },
             unmet(wanted, "runtime", "node") { Npm::Machine::Tooling.new(@env).node_version }].compact
          end

          # The pnpm on the PATH, which starts another one only where it may.
          def installed = JS::Project::Version.installed("pnpm", @env)

          # If there are several, one has to be met.
          def unmet(wanted, key, name)
            all = [wanted[key]].flatten(1).grep(Hash)
            return if all.empty? || all.any? { |one| one["name"] == name && fits?(one["version"]) { yield one } }
            return if all.all? { |one| IGNORED.include?(one["onFail"]) }

            "devEngines.#{key}: #{all.map { |one| one.values_at("name", "version").compact.join(" ") }.join(" or ")}"
          end

          # An unknown version fits.
          def fits?(range)
            return true unless range.is_a?(String)

            version = yield
            version.nil? || Npm::Semver.satisfies?(version, range, prereleases: true)
          end
        end
      end
    end
  end
end
