# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Graph
        # What goes with an optional package that cannot be had: what needs it and cannot do without, and whatever only
        # these need.
        module OptionalSet
          module_function

          # Sets Place#dependents: who needs it, and the kinds of the edge. Once for all places.
          def connect(places)
            return if places[""].dependents

            all = places.values
            all.each { |place| place.dependents = [] }
            places.each_value do |place|
              place.edges&.each_slice(2) { |to, kind| to.dependents << place << kind } if place.wanted?
            end
          end

          # [Place]
          def of(place)
            core = closure(place) do |one|
              pairs(one.dependents).filter_map do |from, kind|
                from unless optional?(kind)
              end
            end
            all = closure(*core.keys) { |one| pairs(one.edges).filter_map { |to, _| to if counts?(core, one, to) } }
            without_needed(all, core)
          end

          def pairs(list) = list ? list.each_slice(2) : [].each
          def optional?(kind) = kind == Kinds::OPTIONAL || kind == Kinds::PEER_OPTIONAL

          # An edge that does not matter: into the core, or from what is left out already.
          def counts?(core, from, to) = !core.key?(to) && !from.inert

          # { Place => true } of some, and of what the block tells of each.
          def closure(*places)
            found = {}.compare_by_identity
            while (place = places.shift)
              next if found.key?(place)

              found[place] = true
              places.concat(yield(place))
            end
            found
          end

          # Takes out what somebody else needs, until nobody does.
          def without_needed(all, core)
            queue = all.keys
            while (place = queue.shift)
              next unless all.key?(place)
              next unless pairs(place.dependents).any? { |from, _| !all.key?(from) && counts?(core, from, place) }

              all.delete(place)
              queue.concat(pairs(place.edges).map(&:first))
            end
            all.keys
          end
        end
      end
    end
  end
end
