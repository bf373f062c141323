# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Trees of a plan that are not installed: optional packages that failed to install or build, and what their tool
      # removes with them.
      class LeftOut
        def initialize(plan, items, outcome)
          @plan = plan
          @items = items
          @outcome = outcome
        end

        # [Tree]
        def trees = look.trees
        # Trees that are there: [Tree].
        def others = look.others
        # Those of #trees that are in the store or were in place: [Tree].
        def gone = look.gone

        private

        Seen = Struct.new(:skipped, :trees, :others, :gone)
        private_constant :Seen

        # Recomputed if another package failed since.
        def look
          @seen = see if @seen.nil? || @seen.skipped != @outcome.skipped.size
          @seen
        end

        def see
          paths = @plan.goes_with(@outcome.skipped).to_h { |path| [path, true] }
          gone, rest = @plan.trees.partition { |tree| paths[tree.path] }
          others, lacking = rest.partition { |tree| @items.of(tree).stored? }
          Seen.new(@outcome.skipped.size, gone + lacking, others, gone)
        end
      end
    end
  end
end
