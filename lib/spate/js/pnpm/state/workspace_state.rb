# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class State
        # .pnpm-workspace-state-v1.json: projects and settings, by which pnpm tells whether there is anything to do.
        class WorkspaceState
          # Settings as pnpm writes them, whatever they are; `!`: only where somebody set them.
          COMMON = %w[autoInstallPeers dedupeDirectDeps dedupeInjectedDeps dedupePeerDependents dedupePeers
                      excludeLinksFromLockfile hoistWorkspacePackages injectWorkspacePackages linkWorkspacePackages
                      nodeLinker peersSuffixMaxLength preferWorkspacePackages].freeze
          # Those of pnpm 11 and newer.
          NEW = %w[dangerouslyAllowAllBuilds minimumReleaseAge minimumReleaseAgeIgnoreMissingTime
                   virtualStoreDirMaxLength].freeze
          GIVEN = %w[ignoredOptionalDependencies minimumReleaseAgeExclude packageExtensions
                     patchedDependencies supportedArchitectures trustPolicy trustPolicyExclude
                     trustPolicyIgnoreAfter].freeze

          OLD_GIVEN = %w[ignoredOptionalDependencies packageExtensions patchedDependencies].freeze

          def self.of(planning)
            new("#{planning.settings["modulesDir"]}/.pnpm-workspace-state-v1.json", planning.settings.major,
                projects(planning), settings(planning, planning.settings))
          end

          def self.projects(planning)
            return {} if planning.settings.major <= 10 && !planning.settings.workspace?

            planning.workspace.manifests.sort.to_h do |id, manifest|
              named = manifest.slice("name", "version").select { |_, value| value.is_a?(String) }
              [File.expand_path(id, planning.root), named]
            end
          end

          def self.settings(planning, settings)
            all = (settings.major <= 10 ? COMMON : COMMON + NEW).to_h { |name| [name, settings[name]] }
            given = settings.major <= 10 ? OLD_GIVEN : GIVEN
            given.each { |name| all[name] = settings[name] if settings.given?(name) }
            all.merge!(included(planning.groups), "catalogs" => settings.catalogs,
                                                  "hoistPattern" => settings.hoist_pattern,
                                                  "publicHoistPattern" => settings.public_hoist_pattern,
                                                  "overrides" => settings["overrides"])
            all["workspacePackagePatterns"] = settings["packages"] || ["."] if settings.workspace?
            all.merge!(newer(planning, settings)) if settings.major > 10
            all.delete("catalogs") if settings.major <= 10 && !settings.workspace?
            all.compact.sort.to_h
          end

          def self.included(groups)
            { "dev" => groups.include?("devDependencies"), "optional" => groups.include?("optionalDependencies"),
              "production" => groups.include?("dependencies") }
          end

          def self.newer(planning, settings)
            allowed = settings.allowed_builds
            { "allowBuilds" => (allowed.sort.to_h unless allowed.empty?),
              "storeDir" => File.expand_path(settings.store_dir(planning.root)),
              "minimumReleaseAgeStrict" => settings["minimumReleaseAgeStrict"] || strict_age(settings),
              "enableGlobalVirtualStore" => (true if planning.global?) }
          end

          # Who says how old a release must be means it.
          def self.strict_age(settings) = (true if settings.given?("minimumReleaseAge"))
          private_class_method :projects, :settings, :included, :newer, :strict_age

          attr_reader :path

          def initialize(path, major, projects, settings)
            @path = path
            @major = major
            @projects = projects
            @settings = settings
          end

          def text(outcome)
            all = { "lastValidatedTimestamp" => (outcome.now.to_f * 1000).ceil, "projects" => @projects,
                    "pnpmfiles" => [], "filteredInstall" => false, "settings" => @settings }
            all["filteredInstall"] = all.delete("filteredInstall") if @major <= 10
            "#{State.json(all)}\n"
          end
        end
      end
    end
  end
end
