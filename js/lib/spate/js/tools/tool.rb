# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # Interface of a tool. Subclasses override the differences; paths are relative to the project's root.
      class Tool
        # Of npm's configuration, which most tools read; and one that affects all of them.
        VARIABLES = /\A(?:npm_config_|node_env\z)/i
        CHOOSING = /\A(?:asdf|corepack|fnm|mise|nodenv|nvm|volta)_/i

        attr_reader :project, :env, :options

        def initialize(project, env, options)
          @project = project
          @env = Util::Environment.clean(env)
          @options = options
        end

        # The tool's words: what frozen_words has after its program. Raises ToolMissing.
        def command = [*program, *arguments]
        # How it is started: [String]. Raises ToolMissing.
        def program = Program.new(self).words
        # The program's name.
        def name = project.tool_name
        # The version that package.json wants, or nil.
        def version = (manager&.version if manager&.name == name)
        # The same as people write it, "yarn@4.5.0".
        def wanted = [name, version].compact.join("@")
        # Its name at the registry.
        def package_name = name
        # Whether corepack has it.
        def corepack? = false
        # A script of the project that is the tool (absolute), or nil.
        def own_script = nil
        # Variables for it, beside the user's.
        def variables = {}
        # More of them where it is only to print its version.
        def version_variables = {}
        # Files that say how it restores, absent ones too; where to look for the user's, see #home_configs, and for the
        # machine's (absolute).
        def configs = [".npmrc"]
        def home_configs = [".npmrc"]
        def machine_configs = []
        # Files that say what a package is.
        def manifests = [Project::PACKAGE]
        # State files that it writes last: unless all exist, the tool has not finished.
        def states = []
        # Folders whose names must stay the same.
        def folders = ["node_modules"]
        # Names of variables that count, those of version managers among them.
        def variable?(name) = self.class::VARIABLES.match?(name) || CHOOSING.match?(name)

        # Whether scripts of dependencies stay off by an option of ours.
        def silent?
          return @silent if defined?(@silent)

          @silent = options&.ignore_scripts ? true : !lists?
        end

        # Why no scripts of dependencies run, if no option disables them.
        def reason = "the project lists none that may"
        # The setting by which a project allows scripts of dependencies; NAME is the package.
        def permission = raise NotImplementedError

        # Whether the tool runs the project's own scripts separately, because the option disables them.
        def own_scripts? = !options&.ignore_scripts && silent?

        # Omitted kinds: "dev", "optional", "peer".
        def omit = options&.omit || []

        private

        def manager = project.manager
        # Whether the project lists dependencies that may run scripts, in this tool's own way.
        def lists? = false
        def package = project.package_json
      end

      class Npm < Tool
        def arguments
          ["ci", *omit.map { |kind| "--omit=#{kind}" }, *("--ignore-scripts" if silent?), "--no-audit", "--no-fund"]
        end

        def permission
          lists? ? "npm approve-scripts NAME" : "npm 12 keeps to the project's allowScripts; for one: npm rebuild NAME"
        end

        def reason = "npm before 12 would run each that no list denies"

        def states = ["node_modules/.package-lock.json"]

        private

        # Since npm 12 scripts that no list allows do not run; in some versions of 11 lists only deny, older ones have
        # none.
        def lists? = (@major ||= Program.new(self).major.to_i) >= 12 || refuses?

        # Whether npm refuses scripts that no list names, or prints its usage, which --ignore-scripts would prevent.
        def refuses?
          settings = Configuration.of(project, env)
          declared = Configuration::NpmFolder.new(env).definitions.to_s
          settings["usage"] == true ||
            (settings["strict-allow-scripts"] == true && declared.include?("strict-allow-scripts"))
        end
      end

      class Pnpm < Tool
        VARIABLES = /\A(?:(?:p?npm_config)_|node_env\z|ci\z)/i
        # Its first version that runs no scripts but those that are allowed.
        CAREFUL = 10

        def arguments
          ["install", "--frozen-lockfile", *("--prod" if omit.include?("dev")),
           *("--no-optional" if omit.include?("optional")), *("--ignore-scripts" if silent?),
           *("--config.strict-dep-builds=false" unless strict?)]
        end

        # Whether the project's settings make a script that is neither allowed nor denied an error.
        def strict?
          settings = JS::Pnpm::Settings.read(project.root, package, project.version(env),
                                             Configuration.of(project, env))
          settings.plain("strictDepBuilds") == true
        end

        # pnpm asks before it removes a node_modules, unless CI is set.
        def variables = { "CI" => env["CI"] || "true" }
        # `pnpm --version` would record the pnpm that package.json names in pnpm-lock.yaml.
        def version_variables = { "pnpm_config_frozen_lockfile" => "true" }
        def corepack? = true
        def configs = %w[.npmrc pnpm-workspace.yaml .pnpmfile.cjs .pnpmfile.mjs]
        def home_configs = %w[.npmrc .config/pnpm/rc .config/pnpm/config.yaml]
        def manifests = %w[package.json package.json5 package.yaml .npmrc]
        def states = ["node_modules/.modules.yaml"]

        def permission
          major = (project.version(env) || JS::Pnpm::Settings::NEWEST).to_i
          list = "allowBuilds: { \"NAME\": true }"
          return "name those that may in pnpm-workspace.yaml: #{list}" if major >= Scripts::Policy::Pnpm::STRICT

          "name those that may in package.json: \"pnpm\": { \"onlyBuiltDependencies\": [\"NAME\"] }"
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
        def permission = "name those that may in package.json: \"trustedDependencies\": [\"NAME\"]"
        def home_configs = %w[.npmrc .bunfig.toml]

        private

        # Without a list of the project's own it takes one that it was built with.
        def lists? = package["trustedDependencies"].is_a?(Array)
      end

      # Runs no scripts but those that its own `allowScripts` names.
      class Deno < Tool
        VARIABLES = /\A(?:(?:npm_config|deno)_)/i

        # deno has no option to run none: this list replaces its configuration's, and no package has that name.
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
