# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # Interface of a tool. Subclasses override what differs. Paths are relative to the project's root.
      class Tool
        # VARIABLES: npm's configuration, which most tools read, and one variable that affects all tools. CHOOSING:
        # variables of version managers.
        VARIABLES = /\A(?:npm_config_|node_env\z)/i
        CHOOSING = /\A(?:asdf|corepack|fnm|mise|nodenv|nvm|volta)_/i

        attr_reader :project, :env, :options

        def initialize(project, env, options)
          @project = project
          @env = Util::Environment.clean(env)
          @options = options
        end

        # The complete command: program and arguments. Raises ToolMissing.
        def command = [*program, *arguments]
        # The words that start the tool: [String]. Raises ToolMissing.
        def program = Program.new(self).words
        # The program's name.
        def name = project.tool_name
        # The version in package.json, or nil.
        def version = (manager&.version if manager&.name == name)
        # Name and version for display: "yarn@4.5.0".
        def wanted = [name, version].compact.join("@")
        # The tool's name in the registry.
        def package_name = name
        # Whether corepack provides the tool.
        def corepack? = false
        # The absolute path of the tool's script, if the project contains the tool; otherwise nil.
        def own_script = nil
        # Variables that are added to the user's environment.
        def variables = {}
        # Additional variables for printing the version.
        def version_variables = {}
        # Files that configure the tool, even if they do not exist: in the project; in the home (home_configs); of the
        # machine (machine_configs, absolute).
        def configs = [".npmrc"]
        def home_configs = [".npmrc"]
        def machine_configs = []
        # Files that describe a package.
        def manifests = [Project::PACKAGE]
        # State files that the tool writes last: unless all of them exist, the tool has not finished.
        def states = []
        # Folders in which the names of files are part of the tool's result.
        def folders = ["node_modules"]
        # Whether the variable affects the tool. Includes variables of version managers.
        def variable?(name) = self.class::VARIABLES.match?(name) || CHOOSING.match?(name)

        # Whether an option added by Spate disables the scripts of dependencies.
        def silent?
          return @silent if defined?(@silent)

          @silent = options&.ignore_scripts ? true : !lists?
        end

        # Why no scripts of dependencies run, if no option disables them.
        def reason = "the project allows none"
        # How to allow a dependency's scripts, as a hint. NAME is the package.
        def permission = raise NotImplementedError

        # Whether Spate runs the project's own scripts after the tool, because the option disabled them, too.
        def own_scripts? = !options&.ignore_scripts && silent?

        # Omitted kinds: "dev", "optional", "peer".
        def omit = options&.omit || []

        private

        def manager = project.manager
        # Whether the project has a list of dependencies that may run scripts, in this tool's format.
        def lists? = false
        def package = project.package_json
      end

      class Npm < Tool
        def arguments
          ["ci", *omit.map { |kind| "--omit=#{kind}" }, *("--ignore-scripts" if silent?), "--no-audit", "--no-fund"]
        end

        def permission
          return "npm approve-scripts NAME" if lists?

          "npm 12 runs only those in the project's allowScripts; for one package: npm rebuild NAME"
        end

        def reason = "npm before 12 would run all that no list denies"

        def states = ["node_modules/.package-lock.json"]

        private

        # Since npm 12, scripts that no list allows do not run. In some versions of 11, lists can only deny; older
        # versions have no lists.
        def lists? = (@major ||= Program.new(self).major.to_i) >= 12 || refuses?

        # Whether npm rejects scripts that no list names, or prints its usage. --ignore-scripts would prevent both.
        def refuses?
          settings = Configuration.of(project, env)
          declared = Configuration::NpmFolder.new(env).definitions.to_s
          settings["usage"] == true ||
            (settings["strict-allow-scripts"] == true && declared.include?("strict-allow-scripts"))
        end
      end

      class Pnpm < Tool
        VARIABLES = /\A(?:(?:p?npm_config)_|node_env\z|ci\z)/i
        # The first version of pnpm that only runs allowed scripts.
        CAREFUL = 10

        def arguments
          ["install", "--frozen-lockfile", *("--prod" if omit.include?("dev")),
           *("--no-optional" if omit.include?("optional")), *("--ignore-scripts" if silent?),
           *("--config.strict-dep-builds=false" unless strict?)]
        end

        # Whether the project's settings make pnpm fail if a script is neither allowed nor denied.
        def strict?
          settings = JS::Pnpm::Settings.read(project.root, package, project.version(env),
                                             Configuration.of(project, env))
          settings.plain("strictDepBuilds") == true
        end

        # Without CI, pnpm asks for confirmation before it removes a node_modules.
        def variables = { "CI" => env["CI"] || "true" }
        # Without this variable, `pnpm --version` writes the pnpm that package.json names to pnpm-lock.yaml.
        def version_variables = { "pnpm_config_frozen_lockfile" => "true" }
        def corepack? = true
        def configs = %w[.npmrc pnpm-workspace.yaml .pnpmfile.cjs .pnpmfile.mjs]
        def home_configs = %w[.npmrc .config/pnpm/rc .config/pnpm/config.yaml]
        def manifests = %w[package.json package.json5 package.yaml .npmrc]
        def states = ["node_modules/.modules.yaml"]

        def permission
          major = (project.version(env) || JS::Pnpm::Settings::NEWEST).to_i
          list = "allowBuilds: { \"NAME\": true }"
          return "allow them in pnpm-workspace.yaml: #{list}" if major >= Scripts::Policy::Pnpm::STRICT

          "allow them in package.json: \"pnpm\": { \"onlyBuiltDependencies\": [\"NAME\"] }"
        end

        private

        def lists?
          return true if Array(package.dig("pnpm", "onlyBuiltDependencies")).any?

          (project.version(env)&.to_i || Program.new(self).major.to_i) >= CAREFUL
        end
      end

      class Bun < Tool
        VARIABLES = /\A(?:(?:npm_config|bun)_|node_env\z)/i

        def arguments
          ["install", "--frozen-lockfile", *omit.map { |kind| "--omit=#{kind}" }, *("--ignore-scripts" if silent?)]
        end

        def configs = %w[.npmrc bunfig.toml]
        def permission = "allow them in package.json: \"trustedDependencies\": [\"NAME\"]"
        def home_configs = %w[.npmrc .bunfig.toml]

        private

        # Without a list in the project, bun uses its built-in list.
        def lists? = package["trustedDependencies"].is_a?(Array)
      end

      # deno runs only scripts of packages in its own `allowScripts`.
      class Deno < Tool
        VARIABLES = /\A(?:(?:npm_config|deno)_)/i

        # deno has no option that disables all scripts. This list replaces the configured list, and contains a name that
        # no package has.
        def arguments = ["install", "--frozen", *("--allow-scripts=npm:_" if silent?)]
        def configs = %w[.npmrc deno.json deno.jsonc]
        def manifests = %w[package.json deno.json deno.jsonc]
        def permission = "deno approve-scripts npm:NAME, or in deno.json: \"allowScripts\": [\"npm:NAME\"]"
        def own_scripts? = false
        def folders = File.directory?(File.join(project.root, "node_modules")) ? super : []

        private

        def lists? = true
      end
    end
  end
end
