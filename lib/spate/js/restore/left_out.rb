# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Trees of a plan that are not there in the end: optional packages that could not be had or built, and what their
      # tool takes away with them.
      class LeftOut
        def initialize(plan, items, outcome)
          @plan = plan
          @items = items
          @outcome = outcome
        end

        # [Tree]
        def trees = partition.first
        # Trees that are there: [Tree].
        def others = partition.last

        # Those that the store has all the same, or that were in place.
        def gone
          found = paths
          @plan.trees.select { |tree| found[tree.path] }
        end

        private

        def partition
          found = paths
          @partition ||= @plan.trees.partition { |tree| found[tree.path] || !@items.of(tree).stored? }
        end

        def paths
          return @paths if @known == @outcome.skipped.size

          @known = @outcome.skipped.size
          @partition = nil
          @paths = @plan.goes_with(@outcome.skipped).to_h { |path| [path, true] }
        end
      end
    end
  end
end
