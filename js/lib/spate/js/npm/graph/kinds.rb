# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Graph
        # The reasons for which npm needs a place. Each bit means that a path leads from the root to the place without
        # an edge of that kind. A place without DEV_FREE is for development only, one without WANTED is extraneous.
        #
        # An edge passes on some bits of the place at its start; a place has the union of the bits of all its edges.
        module Kinds
          WANTED = 1
          DEV_FREE = 2
          OPTIONAL_FREE = 4
          PEER_FREE = 8
          # Set if a path has neither development nor optional edges. A place on two paths can have both of the other
          # bits without this one.
          PLAIN = 16
          ALL = 31

          PROD = ALL
          DEV = WANTED | OPTIONAL_FREE | PEER_FREE
          OPTIONAL = WANTED | DEV_FREE | PEER_FREE
          PEER = ALL & ~PEER_FREE
          # Such an edge does not set WANTED, so it does not keep a place that has no other dependents.
          PEER_OPTIONAL = DEV_FREE

          module_function

          # Sets the kinds of all places that the root reaches.
          def spread(root)
            root.kinds = ALL
            queue = [root]
            while (place = queue.pop)
              kinds = place.kinds
              reach(queue, place.target, kinds) if place.target
              edges = place.edges or next
              index = 0
              while index < edges.size
                reach(queue, edges[index], kinds & edges[index + 1])
                index += 2
              end
            end
          end

          def reach(queue, place, kinds)
            joined = place.kinds | kinds
            return if joined == place.kinds

            place.kinds = joined
            queue << place
          end
        end

        # The places removed together with optional packages that cannot be installed: places that require them, and
        # places that only these need.
        module OptionalSet
          module_function

          # Sets Place#dependents: the dependents and the kinds of their edges. Call once for all places.
          def connect(places)
            return if places[""].dependents

            all = places.values
            all.each { |place| place.dependents = [] }
            places.each_value do |place|
              place.edges&.each_slice(2) { |to, kind| to.dependents << place << kind } if place.wanted?
            end
          end

          # [Place] to remove together with the given ones. npm removes them step by step; the result is the same.
          def of(places)
            core = closure(places) { |one| demanding(one) }
            all = closure(core.keys) { |one| targets(one) { |to| !core.key?(to) } }
            needed = closure(all.keys.select { |one| !core.key?(one) && needed?(one, all) }) do |one|
              one.wanted? ? targets(one) { |to| all.key?(to) && !core.key?(to) } : []
            end
            all.keys.reject { |one| needed.key?(one) }
          end

          def pairs(list) = list ? list.each_slice(2) : [].each
          def optional?(kind) = kind == Kinds::OPTIONAL || kind == Kinds::PEER_OPTIONAL

          # Dependents that require a place.
          def demanding(place) = pairs(place.dependents).filter_map { |from, kind| from unless optional?(kind) }

          # Dependencies of a place for which the block is true. A place that is left out has none.
          def targets(place)
            place.inert ? [] : pairs(place.edges).filter_map { |to, _| to if yield(to) }
          end

          def needed?(place, all) = pairs(place.dependents).any? { |from, _| !all.key?(from) && !from.inert }

          # { Place => true } of the given places and all that the block returns for each, transitively.
          def closure(places)
            found = {}.compare_by_identity
            places = places.dup
            while (place = places.pop)
              next if found.key?(place)

              found[place] = true
              places.concat(yield(place))
            end
            found
          end
        end
      end
    end
  end
end
