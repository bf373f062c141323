# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # pnpm's state files in node_modules. Plain data, so that a plan can be stored; the outcome of a restore is added
      # at its end.
      class State
        autoload :CurrentLockfile, "spate/js/pnpm/state/current_lockfile"
        autoload :Modules, "spate/js/pnpm/state/modules"
        autoload :PackageMap, "spate/js/pnpm/state/package_map"
        autoload :StoreFolder, "spate/js/pnpm/state/store_folder"
        autoload :WorkspaceState, "spate/js/pnpm/state/workspace_state"

        # As JavaScript writes it: an empty list or object on one line.
        def self.json(value)
          require "json"
          JSON.pretty_generate(value).gsub(/([\[{])\n\s*([\]}])/, "\\1\\2")
        end

        # planning: Planning.
        def self.of(planning)
          lockfile = CurrentLockfile.new(planning.lockfile, planning.selection, planning.settings.major).text
          # pnpm before 12 writes none where no package is wanted.
          new((Modules.of(planning) if lockfile || planning.settings.major > 11), WorkspaceState.of(planning),
              planning.layout.folder, lockfile, PackageMap.of(planning), taken(planning))
        end

        # { key => path } of packages that pnpm 11 and later remove when their scripts fail.
        def self.taken(planning)
          return {} if planning.settings.major < 11 || planning.layout.shared

          optional = planning.selection.installed.select { |_, each| each.optional }
          optional.transform_values { |each| planning.layout.path(each) }
        end
        private_class_method :taken

        def initialize(modules, workspace, virtual_store, lockfile, package_map, taken)
          @taken = taken
          @modules = modules
          @workspace = workspace
          @virtual_store = virtual_store
          @lockfile = lockfile
          @package_map = package_map
        end

        # Paths that are written when the projects' own scripts have run.
        def last = [@workspace&.path].compact

        # See Plan#goes_with.
        def goes_with(keys) = @taken.values_at(*keys).compact

        # { path relative to the root => content }. outcome: Outcome.
        def files(outcome)
          found = {}
          found["#{@virtual_store}/lock.yaml"] = @lockfile if @lockfile
          found[@modules.path] = @modules.text(outcome) if @modules
          found[@package_map.path] = @package_map.text if @package_map
          found[@workspace.path] = @workspace.text(outcome) if @workspace
          found
        end
      end
    end
  end
end
