# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # yarn 1.
      class Yarn < Tool
        VARIABLES = /\A(?:(?:npm_config|yarn)_|node_env\z)/i

        # --check-files: without it yarn only checks its state file and does not restore a missing package.
        def arguments
          ["install", "--frozen-lockfile", "--non-interactive", "--check-files",
           *("--production" if omit.include?("dev")), *("--ignore-optional" if omit.include?("optional")),
           *("--ignore-scripts" if silent?)]
        end

        def reason = "it would run all of them"
        def permission = "it has no list of allowed scripts; for one: yarn --cwd node_modules/NAME run postinstall"
        def corepack? = true
        def configs = %w[.npmrc .yarnrc]
        def home_configs = %w[.npmrc .yarnrc .yarn/config .config/yarn .config/yarn/config]
        def machine_configs = %w[/etc/yarnrc /etc/yarn/config /usr/local/etc/yarnrc]
        # With Plug'n'Play yarn creates no node_modules.
        def states = pnp? ? [".pnp.js"] : ["node_modules/.yarn-integrity"]
        def folders = pnp? ? [] : super

        # The path in `yarn-path` of .yarnrc.
        def own_script
          path = text(".yarnrc")[/^yarn-path\s+"?([^"\n]+?)"?\s*$/, 1]
          path && File.expand_path(path, project.root)
        end

        private

        def pnp? = (package["installConfig"] || {})["pnp"] == true

        def text(name)
          File.read(File.join(project.root, name), encoding: Encoding::UTF_8).scrub
        rescue SystemCallError
          ""
        end
      end

      # yarn 2 and later.
      class Berry < Yarn
        def package_name = "@yarnpkg/cli-dist"

        # The mode skip-build also disables the project's own scripts; YARN_ENABLE_SCRIPTS does not.
        def arguments = ["install", "--immutable", *("--mode=skip-build" if options&.ignore_scripts)]

        # With YARN_ENABLE_SCRIPTS=0, only packages marked as built in `dependenciesMeta` run scripts. yarn ignores
        # .npmrc.
        def variables = { "YARN_ENABLE_SCRIPTS" => "0", "YARN_ENABLE_TELEMETRY" => "0" }
        def permission = "allow them in package.json: \"dependenciesMeta\": { \"NAME\": { \"built\": true } }"
        # YARN_ENABLE_SCRIPTS only affects dependencies.
        def own_scripts? = false
        def configs = [".yarnrc.yml"]
        def home_configs = [".yarnrc.yml"]
        def folders = pnp? ? %w[.yarn/cache .yarn/unplugged] : %w[node_modules]
        def states = [*STATES[linker], state]

        # The path in `yarnPath` of .yarnrc.yml.
        def own_script
          path = setting("yarnPath")
          path && File.expand_path(path, project.root)
        end

        private

        # State files in addition to the install state. The pnpm linker has no additional one.
        STATES = { "pnp" => ".pnp.cjs", "node-modules" => "node_modules/.yarn-state.yml" }.freeze
        private_constant :STATES

        def lists? = Array(package["dependenciesMeta"]).any? { |_, meta| meta.is_a?(Hash) && meta["built"] == true }
        def linker = setting("nodeLinker", "pnp")
        def pnp? = linker == "pnp"
        def state = setting("installStatePath", ".yarn/install-state.gz").delete_prefix("./")

        # A plain value, from the environment or .yarnrc.yml. Other kinds of values are not supported.
        def setting(name, default = nil)
          variable = "YARN_#{name.gsub(/[A-Z]/) { |letter| "_#{letter}" }.upcase}"
          env[variable] || text(".yarnrc.yml")[/^#{name}:\s*["']?([^"'\n#]+?)["']?\s*(?:#.*)?$/, 1] || default
        end
      end
    end
  end
end
