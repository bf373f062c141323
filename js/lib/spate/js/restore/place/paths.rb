# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Which trees are inside which.
        class Paths
          NESTED = "/node_modules/"

          def initialize(trees)
            @paths = trees.to_h { |tree| [tree.path, true] }
          end

          # Paths of all trees whose folders a path is in.
          def above(path)
            found = []
            while (cut = path.rindex(NESTED))
              found << path if @paths[path = path[0, cut]]
            end
            found
          end
        end
      end
    end
  end
end
