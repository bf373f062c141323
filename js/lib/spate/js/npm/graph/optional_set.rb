# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Graph
        # What goes with optional packages that cannot be had: what needs them and cannot do without, and whatever
        # only these need.
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

          # [Place] that go with some of them. npm goes on from one to the next; all at once comes to the same.
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

          # Who needs a place and cannot do without.
          def demanding(place) = pairs(place.dependents).filter_map { |from, kind| from unless optional?(kind) }

          # What a place needs, as far as the block lets it. What is left out already needs nothing any more.
          def targets(place)
            place.inert ? [] : pairs(place.edges).filter_map { |to, _| to if yield(to) }
          end

          def needed?(place, all) = pairs(place.dependents).any? { |from, _| !all.key?(from) && !from.inert }

          # { Place => true } of some, and of what the block tells of each.
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
