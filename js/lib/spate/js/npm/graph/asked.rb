# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Graph
        # The dependencies of a place. If several fields have a name, the last one counts.
        module Asked
          module_function

          # { name => [what is asked for, kinds that it lets pass] }
          def of(place, legacy_peers: false)
            data = place.data
            found = {}
            peers(found, data) unless legacy_peers
            mark(found, data["dependencies"], Kinds::PROD)
            mark(found, data["optionalDependencies"], Kinds::OPTIONAL)
            mark(found, data["devDependencies"], Kinds::DEV) if place.folder?
            found
          end

          def peers(found, data)
            meta = data["peerDependenciesMeta"] || {}
            data["peerDependencies"]&.each do |name, spec|
              found[name] = [spec, meta.dig(name, "optional") ? Kinds::PEER_OPTIONAL : Kinds::PEER]
            end
          end

          def mark(found, dependencies, kind)
            dependencies&.each { |name, spec| found[name] = [spec, kind] }
          end
        end
      end
    end
  end
end
