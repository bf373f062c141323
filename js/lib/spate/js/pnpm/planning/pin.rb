# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Planning
        # The package manager that the root's package.json pins. pnpm refuses to run if that is a different tool and,
        # with a frozen lockfile, if the lockfile does not record this pnpm (`packageManagerDependencies` in the
        # document before the project's).
        class Pin
          # The first version that reads `devEngines.packageManager`, and then ignores `packageManager`.
          DEV_ENGINES = 11
          # The first pinned version that the lockfile must record.
          RECORDED = 12

          # package_json: the root's package.json. recorded: pnpm's version in the lockfile, or nil. major: the major
          # version of the pnpm that reads package.json.
          def initialize(package_json, recorded, major)
            @package_json = package_json
            @recorded = recorded
            @major = major
          end

          # [String] for the user: reasons to leave the project to pnpm. pnpm would fail, or more settings would decide.
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

          # Checks only the version; Demands checks the tool's name.
          def unrecorded_engine
            wanted = engines.find { |each| each["name"] == "pnpm" && each["version"].is_a?(String) }
            return if wanted.nil? || wanted["onFail"] == "ignore"

            missing(wanted["version"]) unless @recorded && Npm::Semver.satisfies?(@recorded, wanted["version"])
          end

          def missing(wanted)
            "packageManagerDependencies of the lockfile: expected pnpm #{wanted}, found #{@recorded || "none"}"
          end
        end

        # Versions of pnpm and node required by the project's package.json files. pnpm refuses to run with other
        # versions, or downloads the right ones.
        class Demands
          IGNORED = %w[ignore warn].freeze

          # manifests: { id => package.json }. version: of the pnpm whose rules apply; nil if unknown.
          def initialize(manifests, version, env)
            @manifests = manifests
            @version = version
            @env = env
          end

          # [String] for the user: demands that only pnpm can handle.
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

          # The pnpm on PATH, which starts a different version only if that is allowed.
          def installed = JS::Project::Version.installed("pnpm", @env)

          # If there are several, only one has to match.
          def unmet(wanted, key, name)
            all = [wanted[key]].flatten(1).grep(Hash)
            return if all.empty? || all.any? { |one| one["name"] == name && fits?(one["version"]) { yield one } }
            return if all.all? { |one| IGNORED.include?(one["onFail"]) }

            "devEngines.#{key}: #{all.map { |one| one.values_at("name", "version").compact.join(" ") }.join(" or ")}"
          end

          # An unknown version is accepted.
          def fits?(range)
            return true unless range.is_a?(String)

            version = yield
            version.nil? || Npm::Semver.satisfies?(version, range, prereleases: true)
          end
        end

        # Features of a project that Spate does not support, so that pnpm has to restore it.
        class Foreign
          # pnpm's state files changed between patch releases from the first of these versions until before the second.
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

          # Settings that move node_modules or the virtual store elsewhere.
          def folders
            modules = @settings["modulesDir"].to_s
            store = @settings["virtualStoreDir"]
            outside = store && !File.expand_path(store, @root).start_with?("#{@root}/")
            found = []
            found << "modulesDir: #{modules}" unless modules.match?(%r{\A(?!\.\.?\z)[^/]+\z})
            found << "virtualStoreDir: #{store}" if outside
            found + shared
          end

          # Settings for the location of a global virtual store.
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
