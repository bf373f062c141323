# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Trees that wait for their package to be in the store. Each is handed out once for that.
      class Queue
        # trees: of the plan; placed: those that are in place.
        def initialize(trees, placed, items)
          placed = placed.to_h { |tree| [tree.path, true] }
          @waiting = trees.reject { |tree| placed[tree.path] }.to_h { |tree| [tree.path, tree] }
          @ready = @waiting.values.select { |tree| items.of(tree).stored? }
        end

        def done? = @waiting.empty?
        # Whether all that wait can be placed.
        def supplied? = @ready.size == @waiting.size
        # Trees that wait.
        def waiting = @waiting.values
        # Trees that can be placed now.
        def ready = @ready.tap { @ready = [] }
        # An item's package is in the store, or is so again.
        def stored(item) = @ready.concat(item.trees.select { |tree| @waiting.key?(tree.path) })
        def placed(trees) = trees.each { |tree| @waiting.delete(tree.path) }
        # Without the trees of an item.
        def drop(item) = placed(item.trees)
      end
    end
  end
end
