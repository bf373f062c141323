# frozen_string_literal: true

module Spate
  module JS
    module Tools
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
    end
  end
end
