# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Machine
        # A package's `engines` against the node and npm of this machine. Prereleases count as releases here.
        module Engines
          module_function

          # engines: Hash. A missing node or npm refuses nothing.
          def fit?(engines, tooling)
            satisfied?(engines["node"]) { tooling.node_version } && satisfied?(engines["npm"]) { tooling.npm_version }
          end

          def satisfied?(range)
            return true unless range.is_a?(String) && !range.empty?

            version = yield or return true
            Semver.satisfies?(version, range, prereleases: true)
          end
        end
      end
    end
  end
end
