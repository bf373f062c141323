# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Machine
        # The node and npm of this machine, looked up when needed.
        class Tooling
          # env: Hash of the environment.
          def initialize(env)
            @env = env
          end

          # "20.1.0", nil without node.
          def node_version
            return @node_version if defined?(@node_version)

            @node_version = NodeVersion.of(@env)
          end

          # "11.1.0", nil without npm.
          def npm_version
            return @npm_version if defined?(@npm_version)

            @npm_version = JS::Project::Version.installed("npm", @env)
          end

          # The values a plan read from here, for its fingerprint.
          def used = [(@node_version if defined?(@node_version)), (@npm_version if defined?(@npm_version))]
        end
      end
    end
  end
end
