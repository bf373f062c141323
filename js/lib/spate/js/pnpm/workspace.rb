# frozen_string_literal: true

require "digest"

module Spate
  module JS
    module Pnpm
      # The projects of a workspace, each with its package.json, and the patches of its packages.
      class Workspace
        autoload :Folders, "spate/js/pnpm/workspace/folders"
        autoload :Overrides, "spate/js/pnpm/workspace/overrides"

        # lockfile: Lockfile. settings: Settings.
        def initialize(root, package_json, lockfile, settings)
          @root = root
          @lockfile = lockfile
          @settings = settings
          @manifests = { "." => package_json }
        end

        # { importer's id => its package.json }
        def manifests
          folders.each { |id| @manifests[id] ||= Project.read(File.join(@root, id, "package.json")) }
          @manifests
        end

        # Folders that have a package.json and belong to the workspace, "." first.
        def folders
          @folders ||= (@found = Folders.new(@root, @settings["packages"])).all
        end

        # { name => folder relative to the root } of projects other than the root, for hoisting.
        def names
          manifests.sort_by { |id, _| id.split("/") }.each_with_object({}) do |(id, manifest), all|
            name = manifest["name"]
            all[Package::Name.check(name, "#{id}/package.json")] = id if id != "." && name.is_a?(String)
          end
        end

        # { selector => specifier } as the lockfile has them, nil where there are none.
        def overrides
          @overrides ||= Overrides.new(@settings["overrides"], @manifests["."], @settings.catalogs).all
        end

        # Absolute paths that a plan depends on.
        def inputs
          [@lockfile.path, File.join(@root, Settings::WORKSPACE)] +
            (folders | @lockfile.absent.keys).product(%w[package.json .npmrc])
                                             .map { |path| File.expand_path(File.join(path), @root) } +
            looked_at +
            patch_files.each_value.map { |path| File.join(@root, path) }
        end

        # { "name", "name@version" or "name@range" => path relative to the root }
        def patch_files
          @patch_files ||= begin
            given = @settings["patchedDependencies"]
            (given.is_a?(Hash) ? given : {}).transform_values do |path|
              Package::Name.check_path(clean(path), "patchedDependencies")
            end
          end
        end

        # { as above => digest of the file with plain line ends, as this pnpm names it }. Raises LockfileError.
        def patch_hashes
          patch_files.to_h do |key, path|
            text = Reading.bytes(File.join(@root, path)).gsub("\r\n", "\n")
            [key, @settings.before?(10, 0) ? DepPath::Base32.md5(text) : Digest::SHA256.hexdigest(text)]
          rescue SystemCallError
            raise LockfileError, "patchedDependencies: #{path} of #{key} is missing"
          end
        end

        # { snapshot's key => the patch's path relative to the root }
        def patches
          return {} if patch_files.empty?

          hashes = patch_hashes
          @lockfile.snapshots.each_with_object({}) do |(key, snapshot), all|
            hash = key[/\(patch_hash=([^()]*)\)/, 1] if DepPath.with_patch(key).include?("(patch_hash=")
            named = hash && patch_of(snapshot, hashes.select { |_, value| value == hash }.keys) or next
            all[key] = patch_files[named]
          end
        end

        private

        # Which of several patches with one digest, which may differ in their line ends: the version's own, then a
        # range's, then the package's. keys: of patch_files.
        def patch_of(snapshot, keys)
          name = snapshot.name
          order = ["#{name}@#{snapshot.version}", *keys.select { |key| key.start_with?("#{name}@") }, name]
          (order & keys).first
        end

        # Paths that change when a project is added: see Folders.
        def looked_at
          folders && @found.looked_at.map { |path| path.empty? ? @root : File.join(@root, path) }
        end

        def clean(path) = path.to_s.delete_prefix("#{@root}/").delete_prefix("./")
      end
    end
  end
end
