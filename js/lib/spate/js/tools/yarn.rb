# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # Version 1.
      class Yarn < Tool
        VARIABLES = /\A(?:(?:npm_config|yarn)_|node_env\z)/i

        # Without that check a package that is gone stays so: its state file is all that it looks at.
        def arguments
          ["install", "--frozen-lockfile", "--non-interactive", "--check-files",
           *("--production" if omit.include?("dev")), *("--ignore-optional" if omit.include?("optional")),
           *("--ignore-scripts" if silent?)]
        end

        def reason = "it would run each"
        def permission = "it keeps no list of those; for one: yarn --cwd node_modules/NAME run postinstall"
        def corepack? = true
        def configs = %w[.npmrc .yarnrc]
        def home_configs = %w[.npmrc .yarnrc .yarn/config .config/yarn .config/yarn/config]
        def machine_configs = %w[/etc/yarnrc /etc/yarn/config /usr/local/etc/yarnrc]
        # With Plug'n'Play it leaves no node_modules.
        def states = pnp? ? [".pnp.js"] : ["node_modules/.yarn-integrity"]
        def folders = pnp? ? [] : super

        # `yarn-path` of .yarnrc.
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
    end
  end
end
