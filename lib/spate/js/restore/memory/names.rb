# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
        # The paths whose lstat a Record keeps.
        class Names
          # trees: that are in place; entries: paths of links and bins; state: of state files.
          def initialize(plan, trees, entries, state)
            @plan = plan
            @trees = trees
            @entries = entries
            @state = state
          end

          # The files that the plan was made from, and the tool's state. Each with a NUL.
          def watched = [*@plan.inputs, *@state].uniq.map { |name| "#{name}\0" }.join

          # All, likewise. A folder's time tells of every name that comes or goes in it.
          def to_s
            folders = [*@trees.map(&:path), *@entries].map { |path| File.dirname(path) }
            packages = @trees.map { |tree| "#{tree.path}/package.json" }
            [*@plan.inputs, *@state, *folders, *packages].uniq.map { |name| "#{name}\0" }.join
          end
        end
      end
    end
  end
end
