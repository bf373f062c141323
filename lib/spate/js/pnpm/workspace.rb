# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # The projects of a workspace, each with its package.json, and the files that say what they want.
      class Workspace
        PATCH = "(patch_hash="

        # lockfile: Lockfile. settings: Settings.
        def initialize(root, package_json, lockfile, settings)
          @root = root
          @lockfile = lockfile
          @settings = settings
          @manifests = { "." => package_json }
        end

        # { importer's id => its package.json }
        def manifests
          @lockfile.importers.each_key { |id| @manifests[id] ||= Project.read(File.join(@root, id, "package.json")) }
          @manifests
        end

        # { name => folder relative to the root } of projects other than the root, for hoisting.
        def names
          manifests.sort.each_with_object({}) do |(id, manifest), all|
            name = manifest["name"]
            all[Name.check(name, "#{id}/package.json")] = id if id != "." && name.is_a?(String)
          end
        end

        # Absolute paths that a plan depends on.
        def inputs
          [@lockfile.path, File.join(@root, Settings::WORKSPACE)] +
            @lockfile.importers.each_key.map { |id| File.expand_path(File.join(id, "package.json"), @root) } +
            patch_files.each_value.map { |path| File.join(@root, path) }
        end

        # { name, name@version or name@range => path relative to the root }
        def patch_files
          @patch_files ||= (@settings["patchedDependencies"] || {}).transform_values(&:to_s)
        end

        # { snapshot's key => the patch's path relative to the root }
        def patches
          @patches ||= {}
        end
      end
    end
  end
end
