# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Trees that wait for their turn: for their package to be in the store, and a tree in another tree's folder for
      # that one to be placed.
      class Queue
        NESTED = "/node_modules/"

        # Path of the nearest tree whose folder a path is in; nil where there is none. paths: { path of a tree => true }
        def self.above(path, paths)
          at = path
          while (cut = at.rindex(NESTED))
            return at if paths[at = at[0, cut]]
          end
        end

        # trees: of the plan; placed: those that are in place.
        def initialize(trees, placed, items)
          @placed = placed.to_h { |tree| [tree.path, true] }
          waiting = trees.reject { |tree| @placed[tree.path] }
          @count = waiting.size
          paths = waiting.to_h { |tree| [tree.path, true] }
          @above = waiting.to_h { |tree| [tree.path, Queue.above(tree.path, paths)] }
          @below = Hash.new { |hash, path| hash[path] = [] }
          @ready = waiting.select { |tree| items.of(tree).stored? && free?(tree) }
        end

        def done? = @count.zero?

        # Trees that can be placed now, side by side. Each is answered once.
        def ready = @ready.tap { @ready = [] }

        # An item's package is in the store, or is so again.
        def stored(item)
          @ready.concat(item.trees.select { |tree| @above.key?(tree.path) && !@placed[tree.path] && free?(tree) })
        end

        def placed(trees)
          @count -= trees.size
          trees.each do |tree|
            @placed[tree.path] = true
            @ready.concat(@below.delete(tree.path) || [])
          end
        end

        # Without the trees of an item; what is in their folders needs no other then.
        def drop(item) = placed(item.trees.select { |tree| @above.key?(tree.path) })

        private

        def free?(tree)
          above = @above[tree.path]
          return true if above.nil? || @placed[above]

          @below[above] << tree
          false
        end
      end
    end
  end
end
