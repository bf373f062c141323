# frozen_string_literal: true

module Spate
  module JS
    module Tools
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
    end
  end
end
