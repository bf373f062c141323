# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class State
        # .pnpm-workspace-state-v1.json: projects and settings, with which pnpm checks whether there is anything to do.
        class WorkspaceState
          FILE = ".pnpm-workspace-state-v1.json"
          # The name of the workspace state file up to pnpm 10.12.
          OLD_FILE = ".pnpm-workspace-state.json"
          # Settings that pnpm always writes.
          ALWAYS = %w[autoInstallPeers dangerouslyAllowAllBuilds dedupeDirectDeps dedupeInjectedDeps
                      dedupePeerDependents dedupePeers excludeLinksFromLockfile hoistWorkspacePackages
                      injectWorkspacePackages linkWorkspacePackages minimumReleaseAge
                      minimumReleaseAgeIgnoreMissingTime nodeLinker peersSuffixMaxLength preferWorkspacePackages
                      virtualStoreDirMaxLength].freeze
          # Settings that pnpm writes only if they are given.
          GIVEN = %w[ignoredOptionalDependencies minimumReleaseAgeExclude packageExtensions patchedDependencies
                     supportedArchitectures trustPolicy trustPolicyExclude trustPolicyIgnoreAfter].freeze
          # The first version that writes a setting => the setting's names.
          SINCE = {
            [10, 31] => %w[ignoredOptionalDependencies overrides packageExtensions patchedDependencies
                           peersSuffixMaxLength],
            [10, 33] => %w[dedupePeers],
            [11, 0, 6] => %w[allowBuilds],
            [11, 1] => %w[minimumReleaseAge minimumReleaseAgeExclude minimumReleaseAgeIgnoreMissingTime
                          minimumReleaseAgeStrict trustPolicy trustPolicyExclude trustPolicyIgnoreAfter],
            [11, 5, 3] => %w[enableGlobalVirtualStore], [11, 17] => %w[supportedArchitectures],
            [12, 0] => %w[dangerouslyAllowAllBuilds storeDir virtualStoreDirMaxLength]
          }.freeze

          # nil for a pnpm that does not write the file.
          def self.of(planning)
            settings = planning.settings
            return if settings.before?(10, 0)

            file = settings.before?(10, 13) ? OLD_FILE : FILE
            new("#{settings["modulesDir"]}/#{file}", settings.major, projects(planning), settings(planning, settings))
          end

          def self.projects(planning)
            return {} if planning.settings.major < 12 && !planning.settings.workspace?

            planning.workspace.manifests.sort.to_h do |id, manifest|
              named = manifest.slice("name", "version").select { |_, value| value.is_a?(String) }
              [id, named]
            end
          end

          def self.settings(planning, settings)
            all = ALWAYS.to_h { |name| [name, settings[name]] }
            GIVEN.each { |name| all[name] = settings[name] if settings.given?(name) }
            all.merge!(included(planning.groups), newer(planning, settings),
                       "catalogs" => settings.catalogs, "hoistPattern" => settings.hoist_pattern,
                       "publicHoistPattern" => settings.public_hoist_pattern, "overrides" => settings["overrides"])
            all["workspacePackagePatterns"] = settings["packages"] || ["."] if settings.workspace?
            all.delete("catalogs") if settings.major < 12 && !settings.workspace?
            unknown = SINCE.select { |version, _| settings.before?(*version) }
            all.except(*unknown.values.flatten).compact.sort.to_h
          end

          def self.included(groups)
            { "dev" => groups.include?("devDependencies"), "optional" => groups.include?("optionalDependencies"),
              "production" => groups.include?("dependencies") }
          end

          def self.newer(planning, settings)
            allowed = settings.allowed_builds
            { "allowBuilds" => (allowed.sort.to_h unless allowed.empty?),
              "storeDir" => settings.store_folder,
              "minimumReleaseAgeStrict" => settings["minimumReleaseAgeStrict"] || strict_age(settings),
              "enableGlobalVirtualStore" => shared_store(planning, settings) }
          end

          # On CI, pnpm 11 records false if the setting is not given.
          def self.shared_store(planning, settings)
            planning.global? || (settings.major == 11 && settings.ci? ? false : nil)
          end

          # Giving minimumReleaseAge implies minimumReleaseAgeStrict.
          def self.strict_age(settings) = (true if settings.given?("minimumReleaseAge"))
          private_class_method :projects, :settings, :included, :newer, :shared_store, :strict_age

          attr_reader :path

          # projects: { folder => its name and version }. settings: { name => value }. A StoreFolder is resolved at the
          # end of the restore.
          def initialize(path, major, projects, settings)
            @path = path
            @major = major
            @projects = projects
            @settings = settings
          end

          def text(outcome)
            root = outcome.root
            projects = @projects.transform_keys { |id| File.expand_path(id, root) }
            settings = @settings.to_h { |name, each| [name, placed(name, each, root)] }
            all = { "lastValidatedTimestamp" => (outcome.now.to_f * 1000).ceil, "projects" => projects,
                    **pnpmfiles, "filteredInstall" => false, "settings" => settings }
            all["filteredInstall"] = all.delete("filteredInstall") if @major <= 10
            "#{State.json(all)}\n"
          end

          private

          # Values that depend on the project's location; before pnpm 12 these include paths of patches.
          def placed(name, value, root)
            return value.clean_path(root) if value.is_a?(StoreFolder)
            return value unless name == "patchedDependencies" && @major < 12

            value.transform_values { |path| File.expand_path(path, root) }
          end

          def pnpmfiles = @path.end_with?(OLD_FILE) ? { "pnpmfileExists" => false } : { "pnpmfiles" => [] }
        end
      end
    end
  end
end
