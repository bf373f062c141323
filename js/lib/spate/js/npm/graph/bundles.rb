# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Graph
        # Which places come in the archive of a package around them: those that it bundles, what is below these, and
        # what all of them need and find beside them.
        module Bundles
          module_function

          # Sets Place#bundler of places that come in an archive, or that the root bundles: npm marks them the same.
          # places: all of a lockfile, connected.
          def tell(places)
            bundling = places.each_value.select { |place| place.children && names(place).any? }
            bundling.sort_by(&:depth).each { |place| tell_of(place) unless place.bundler }
          end

          def names(place)
            list = place.data["bundleDependencies"]
            list.is_a?(Array) ? list : []
          end

          def tell_of(bundler)
            queue = names(bundler).filter_map { |name| bundler.children[name] }
            while (place = queue.shift)
              next if place.bundler

              place.bundler = bundler
              queue.concat(place.children.values) if place.children
              place.edges&.each_slice(2) { |to, _| queue << to if to.parent.equal?(bundler) }
            end
          end
        end
      end
    end
  end
end
