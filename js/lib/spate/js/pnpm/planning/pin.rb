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

        # Features of a project that Spate does not support, so that pnpm restores it.
        class Foreign
          # pnpm's state files changed between patch releases: from the first of these up to the second.
          UNSTEADY = [[11, 27], [12, 0]].freeze
          PNPMFILES = %w[.pnpmfile.cjs .pnpmfile.mjs].freeze

          def initialize(root, lockfile, settings)
            @root = root
            @lockfile = lockfile
            @settings = settings
          end

          # Raises LeftToTool.
          def check
            reasons = version + workspace + settings + pnpmfiles + folders
            raise LeftToTool, reasons unless reasons.empty?
          end

          private

          def version
            first, last = UNSTEADY
            return [] if @settings.before?(*first) || !@settings.before?(*last)

            ["pnpm #{@settings.version}, whose state files are not supported (11.27 and later 11.x)"]
          end

          def workspace
            path = @settings.workspace_dir
            path ? ["NPM_CONFIG_WORKSPACE_DIR: #{path}"] : []
          end

          def settings = Tools::KnownSettings::Pnpm.new(@settings).reasons

          def pnpmfiles
            return ["pnpmfileChecksum in the lockfile"] if @lockfile["pnpmfileChecksum"]
            return [] if @settings["ignorePnpmfile"]

            PNPMFILES.select { |name| Reading.file?(File.join(@root, name)) }
          end

          # Folders that are not directly below the root.
          def folders
            modules = @settings["modulesDir"].to_s
            store = @settings["virtualStoreDir"]
            outside = store && !File.expand_path(store, @root).start_with?("#{@root}/")
            found = []
            found << "modulesDir: #{modules}" unless modules.match?(%r{\A(?!\.\.?\z)[^/]+\z})
            found << "virtualStoreDir: #{store}" if outside
            found + shared
          end

          # A global virtual store of the project's own choice.
          def shared
            type = @settings["virtualStoreType"]
            found = []
            found << "virtualStoreType: #{type}" unless [nil, "global", "project"].include?(type)
            return found unless @settings.global?

            found + %w[globalVirtualStoreDir virtualStoreDir].select { |name| @settings.given?(name) }
          end
        end
      end
    end
  end
end
