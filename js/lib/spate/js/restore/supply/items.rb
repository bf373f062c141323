# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Supply
        # The archives of a plan, each once, however often and wherever it is placed.
        class Items
          include Enumerable

          def initialize(plan)
            @by_tree = {}.compare_by_identity
            found = {}
            plan.trees.each do |tree|
              item = found[[identity(tree.package), tree.patch]] ||=
                Item.new(tree.package, (File.expand_path(tree.patch, plan.root) if tree.patch), plan.rewrites)
              item.trees << tree
              @by_tree[tree] = item
            end
            @all = found.values
          end

          def each(&) = @all.each(&)
          def size = @all.size
          # The Item of a tree.
          def of(tree) = @by_tree.fetch(tree)

          private

          # Without a digest only the address identifies a package.
          def identity(package) = package.integrity&.key || [package.name, package.version, package.resolved]
        end
      end
    end
  end
end
