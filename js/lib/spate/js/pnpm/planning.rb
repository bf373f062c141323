# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # Creates a Plan.
      class Planning
        %i[Demands Foreign Pin].each { |name| autoload name, "spate/js/pnpm/planning/pin" }
        %i[ReleaseAge Tarballs].each { |name| autoload name, "spate/js/pnpm/planning/release_age" }

        # project: Project. configuration: Configuration or nil. options: Options or nil. slots: callable that returns
        # the folder of a global virtual store, or nil.
        def initialize(project, configuration, options, slots: nil)
          @slots = slots
          @root = project.root
          @path = project.lockfile
          @package_json = project.package_json
          @options = options
          @env = configuration ? configuration.env : ENV.to_h
          @settings = Settings.read(@root, @package_json, project.version(@env), configuration, @env)
        end

        attr_reader :root, :settings, :lockfile, :workspace, :selection, :layout, :links

        def plan
          read
          Agreement.new(@lockfile, @workspace, @settings).check
          place
          links = @links.all
          trees = self.trees
          Plan.new(tool: "pnpm", version: @settings.version, root: @root, trees: trees, links: links,
                   bins: Bins.new(self).folders, folders: folders, projects: @links.order, skipped: @selection.unfit,
                   rewrites: @settings.major < 12 ? %i[hashbang loose] : [], inputs: inputs, state: State.of(self),
                   workspace: @settings.workspace,
                   release_age: ReleaseAge.of(@lockfile, @settings, trees.map(&:package)),
                   unconfirmed: Tarballs.unconfirmed(@lockfile, @settings), fingerprint: fingerprint)
        end

        # Whether scripts may run at all.
        def scripts?
          given = @options && @options[:ignore_scripts]
          given.nil? ? !@settings["ignoreScripts"] : !given
        end

        # pnpm 12 creates the folder of hoisted packages in all cases. Older versions also create the executables'
        # folder of a project that is not built yet, although they do not link the executables.
        def folders
          return @links.hoisting.empty? ? [] : ["#{@layout.folder}/node_modules"] if @settings.major >= 12

          @lockfile.importers.keys.filter_map do |id|
            bin = @links.direct(id).each_value.any? { |target| @workspace.manifests.dig(target, "bin") }
            "#{@links.modules(id)}/.bin" if bin
          end
        end

        def inputs
          list = @settings["onlyBuiltDependenciesFile"]
          list = list.is_a?(String) ? [File.expand_path(list, @root)] : []
          @workspace.inputs | [Project::Version.file("pnpm", @env)].compact | list
        end

        # Names of the selected Lockfile::GROUPS.
        def groups
          omit = Array(@options && @options[:omit]).map(&:to_s)
          left = { "dev" => "devDependencies", "optional" => "optionalDependencies", "prod" => "dependencies" }
          Lockfile::GROUPS - left.values_at(*omit).compact
        end

        # Whether packages are in a global virtual store. The command line overrides the project.
        def global?
          wanted = @options&.to_h&.fetch(:global_virtual_store, nil)
          wanted.nil? ? @settings.global? : wanted
        end

        private

        def read
          @lockfile = Lockfile.read(@path)
          Foreign.new(@root, @lockfile, @settings).check
          @workspace = Workspace.new(@root, @package_json, @lockfile, @settings)
          @lockfile.restrict(@workspace.folders)
          reasons = Demands.new(@workspace.manifests, @settings.version, @env).reasons + pin +
                    Tarballs.unverified(@lockfile)
          raise LeftToTool, reasons if reasons.any?
        end

        # The pnpm on PATH reads package.json before it starts a different version.
        def pin
          major = [Project::Version.installed("pnpm", @env).to_i, @settings.major].max
          Pin.new(@package_json, @lockfile.own_version, major).reasons
        end

        def place
          @selection = Selection.new(@lockfile, groups, machine)
          @layout = layout_of(virtual_store, @settings["virtualStoreDirMaxLength"])
          @links = Links.new(@root, @lockfile, @selection, @layout, @workspace, @settings)
        end

        def layout_of(folder, longest)
          return Layout.new(folder, longest, old: @settings.before?(10, 0)) unless global?
          raise LeftToTool, ["enableGlobalVirtualStore"] unless @slots

          Layout::Global.new(folder, longest, @root, "#{@slots.call}/#{variant}", hashes)
        end

        # A digest of the settings and the machine, which also affect the content of a slot.
        def variant
          @selection.installed # reads node's version if that affects the selection
          text = [Layout::Global::FORMAT, @settings.major.clamp(10, 12), machine, @selection.optional?,
                  @options.to_h[:copy], @env["SPATE_COPY"], @settings.hoist_pattern&.any?,
                  *%w[extendNodePath preferSymlinkedExecutables].map { |name| @settings[name] }]
          Digest::SHA256.hexdigest(text.join("\n"))[0, 12]
        end

        def hashes
          policy = Scripts::Policy::Pnpm.new(@root, @settings, @configuration)
          Layout::GraphHash.new(@lockfile, @root, policy.method(:allows?))
        end

        # The virtual store's folder, relative to the root.
        def virtual_store
          given = @settings["virtualStoreDir"]
          return "#{@settings["modulesDir"]}/.pnpm" unless given

          File.expand_path(given, @root).delete_prefix("#{@root}/")
        end

        def machine
          @machine ||= Selection::Machine.local(@settings["supportedArchitectures"], @settings.major, node)
        end

        # A callable that returns node's version. It is called only if an optional package requires certain versions.
        def node
          given = @settings["nodeVersion"]
          given ? -> { given.to_s.delete_prefix("v") } : Npm::Machine::Tooling.new(@env).method(:node_version)
        end

        def trees
          patches = @workspace.patches
          @selection.installed.map do |key, each|
            needs = @links.needs(each).each_value.filter_map { |child| @layout.path(child) unless child.key == key }
            Tree.new(path: @layout.path(each), package: Resolution.package(each, @path), key: key,
                     optional: each.optional, patch: patches[key], needs: needs)
          end.uniq(&:path) # snapshots that differ only in the names of their peers share a slot
        end

        def fingerprint = [@settings.fingerprint, groups, machine].join("\n")

        # Parses a lockfile's `resolution`, the source of a package's files.
        module Resolution
          module_function

          # Returns a Package. snapshot: Lockfile::Snapshot. Raises LeftToTool if its source is not an archive,
          # LockfileError.
          def package(snapshot, path)
            found = snapshot.entry["resolution"]
            raise LockfileError, "#{path}: #{snapshot.key}: expected a resolution" unless found.is_a?(Hash)

            reason = foreign(found)
            raise LeftToTool, ["#{snapshot.key} (#{reason})"] if reason

            Package.new(name: snapshot.name, version: version(snapshot), resolved: found["tarball"],
                        integrity: integrity(found, snapshot, path))
          end

          # The reason to leave the package to pnpm, or nil.
          def foreign(found)
            case found["type"]
            when nil then nil
            when "directory" then return "files of the folder #{found["directory"]}"
            else return "resolution of the type #{found["type"]}"
            end
            return "built from a git repository" if found["gitHosted"] || hosted?(found["tarball"].to_s)

            "a subfolder of an archive" if found["path"]
          end

          # Archives of repositories, which pnpm prepares like npm does before publishing.
          def hosted?(address)
            address.match?(%r{\Ahttps://(?:codeload\.github\.com/|bitbucket\.org/[^/]+/[^/]+/get/|gitlab\.com/.*archive)})
          end

          def integrity(found, snapshot, path)
            text = found["integrity"]
            Package::Integrity.parse(text) or
              raise LockfileError, "#{path}: #{snapshot.key}: unsupported integrity #{text.inspect}"
          end

          def version(snapshot)
            (snapshot.entry["version"] || (snapshot.version unless snapshot.version.match?(%r{[/:]})))&.to_s
          end
        end
      end
    end
  end
end
