# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # Yarn after version 1.
      class Berry < Yarn
        def package_name = "@yarnpkg/cli-dist"

        # That option keeps the project's own scripts off, too, which the setting does not.
        def arguments = ["install", "--immutable", *("--mode=skip-build" if options&.ignore_scripts)]

        # Only packages that `dependenciesMeta` names as built; an .npmrc means nothing to it.
        def variables = (silent? ? { "YARN_ENABLE_SCRIPTS" => "0" } : {}).merge("YARN_ENABLE_TELEMETRY" => "0")
        # That setting is for dependencies only.
        def own_scripts? = false
        def configs = [".yarnrc.yml"]
        def home_configs = [".yarnrc.yml"]
        def folders = pnp? ? %w[.yarn/cache .yarn/unplugged] : %w[node_modules]
        def states = pnp? ? [".pnp.cjs", state] : ["node_modules/.yarn-state.yml", state]

        # `yarnPath` of .yarnrc.yml.
        def own_script
          path = setting("yarnPath")
          path && File.expand_path(path, project.root)
        end

        private

        def pnp? = setting("nodeLinker", "pnp") == "pnp"
        def state = setting("installStatePath", ".yarn/install-state.gz").delete_prefix("./")

        # A plain value; the environment first. No other kind is asked for here.
        def setting(name, default = nil)
          variable = "YARN_#{name.gsub(/[A-Z]/) { |letter| "_#{letter}" }.upcase}"
          env[variable] || text(".yarnrc.yml")[/^#{name}:\s*["']?([^"'\n#]+?)["']?\s*(?:#.*)?$/, 1] || default
        end
      end
    end
  end
end
