# frozen_string_literal: true

require "digest"

module Spate
  module JS
    module Pnpm
      # The projects of a workspace, each with its package.json, and the patches of its packages.
      class Workspace
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

        # { selector => specifier } in the form of the lockfile; nil if there are none.
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

        # { key of patch_files => digest of the file with normalized line ends, in the format of this pnpm version }.
        # Raises LockfileError.
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

        # Chooses among patches with the same digest, which may differ in their line ends. Prefers the patch of this
        # version, then that of a range, then that of the package. keys: of patch_files.
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

        # The folders of a workspace's projects, by the patterns of pnpm-workspace.yaml: `*` is one folder, `**` any
        # number of folders, `!` excludes folders of an earlier pattern. Never inside node_modules.
        class Folders
          LEFT_OUT = %w[node_modules bower_components .git].freeze
          FLAGS = File::FNM_PATHNAME | File::FNM_DOTMATCH | File::FNM_EXTGLOB

          # patterns: [String]; nil if the root is the only project.
          def initialize(root, patterns)
            @root = root
            @looked_at = {}
            patterns = Array(patterns).map { |pattern| pattern.to_s.delete_prefix("./").chomp("/") }
            Project::Braces.check(patterns, Settings::WORKSPACE)
            @taken, @left = patterns.partition { |pattern| !pattern.start_with?("!") }
            @left = @left.map { |pattern| pattern.delete_prefix("!").delete_prefix("./").delete_prefix("/") }
          end

          # Paths relative to the root, after #all: folders that were listed, and package.json files that were looked
          # for, existing or not.
          def looked_at = @looked_at.keys

          # "." first, then by name.
          def all
            found = @taken.flat_map { |pattern| pattern.include?("*") ? matching(pattern) : plain(pattern) }
            found.reject! { |id| id == "." || @left.any? { |pattern| fits?(pattern, id) } }
            (root + found).uniq.sort_by { |id| id == "." ? "" : id }
          end

          private

          def root = ["."]
          def plain(pattern) = project?(pattern) ? [clean(pattern)] : []
          def clean(path) = path.split("/").reject { |part| part == "." }.join("/").then { |id| id.empty? ? "." : id }

          def project?(path)
            @looked_at[file = File.join(path, "package.json")] = true
            File.file?(File.join(@root, file))
          end

          # Enters only folders that match the pattern's parts.
          def matching(pattern)
            parts = pattern.split("/")
            found = []
            pending = [["", parts]]
            while (path, rest = pending.pop)
              if rest.empty?
                found << path if project?(path)
              else
                pending.concat(below(path, rest))
              end
            end
            found
          end

          def below(path, rest)
            part, *following = rest
            return [[join(path, part), following]] unless part.match?(/[*?{\[]/) || part == "**"

            names = folders(path)
            return [[path, following]] + names.map { |name| [join(path, name), rest] } if part == "**"

            names.select { |name| File.fnmatch?(part, name, FLAGS) }.map { |name| [join(path, name), following] }
          end

          def folders(path)
            @looked_at[path] = true
            Dir.each_child(File.join(@root, path)).select do |name|
              !LEFT_OUT.include?(name) && File.lstat(File.join(@root, path, name)).directory?
            end
          rescue SystemCallError
            []
          end

          def join(path, name) = path.empty? ? name : "#{path}/#{name}"

          def fits?(pattern, id)
            File.fnmatch?(pattern, id, FLAGS) || File.fnmatch?(pattern, "#{id}/package.json", FLAGS) ||
              (pattern.end_with?("/**") && id.start_with?("#{pattern.delete_suffix("/**")}/"))
          end
        end

        # `overrides` with references resolved: `$name` by the root's package.json, `catalog:` (also in package.json) by
        # a catalog.
        class Overrides
          # given: { selector => value } or an invalid value. manifest: the root's package.json. catalogs:
          # { catalog => { name => specifier } }.
          def initialize(given, manifest, catalogs)
            @given = given.is_a?(Hash) ? given : {}
            @manifest = manifest
            @catalogs = catalogs
          end

          # nil if there are none.
          def all
            @given.to_h { |selector, value| [selector, resolved(selector, value.to_s)] } unless @given.empty?
          end

          private

          def resolved(selector, value)
            value = referenced(value.delete_prefix("$")) || value if value.start_with?("$")
            return value unless value.start_with?("catalog:")

            catalog = value.delete_prefix("catalog:")
            name = selector[/[^>]+\z/].sub(/(?<=.)@.*\z/, "")
            @catalogs.dig(catalog.empty? ? "default" : catalog, name) || value
          end

          def referenced(name)
            Lockfile::GROUPS.filter_map { |group| @manifest[group][name] if @manifest[group].is_a?(Hash) }.first
          end
        end
      end
    end
  end
end
