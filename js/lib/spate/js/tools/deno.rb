# frozen_string_literal: true

module Spate
  module JS
    module Tools
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
