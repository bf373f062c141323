# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Graph
        # Why a place is needed, by npm's rules: each bit means that the root reaches the place without a step of that
        # kind. A place without DEV_FREE is for development only, one without WANTED is extraneous.
        #
        # An edge lets pass some of the bits of where it starts; a place has those of all edges together.
        module Kinds
          WANTED = 1
          DEV_FREE = 2
          OPTIONAL_FREE = 4
          PEER_FREE = 8
          # Neither for development nor optional all the way; a place may be reached either way and lack it.
          PLAIN = 16
          ALL = 31

          PROD = ALL
          DEV = WANTED | OPTIONAL_FREE | PEER_FREE
          OPTIONAL = WANTED | DEV_FREE | PEER_FREE
          PEER = ALL & ~PEER_FREE
          # Does not keep a place that nothing else needs.
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
      end
    end
  end
end
