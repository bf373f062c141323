# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
        # The paths whose lstat a Record keeps.
        class Names
          # Absolute paths of archives in the project without a digest: replacing one changes the package.
          def self.archives(plan)
            plan.trees.map(&:package).select { |package| package.file? && package.integrity.nil? }.uniq(&:resolved)
                .map { |package| File.join(plan.root, package.resolved.delete_prefix("file:").delete_prefix("./")) }
          end

          # trees: that are in place; entries: paths of links and bins; state: of state files.
          def initialize(trees, entries, state)
            @trees = trees
            @entries = entries
            @state = state
          end

          # State files of the tool, each with a NUL.
          def watched = @state.map { |name| "#{name}\0" }.join

          # All paths, in the same format. A folder's mtime changes when a name in it comes or goes.
          def to_s
            folders = [*@trees.map(&:path), *@entries].map { |path| File.dirname(path) }
            packages = @trees.map { |tree| "#{tree.path}/package.json" }
            [*@state, *folders, *packages].uniq.map { |name| "#{name}\0" }.join
          end
        end
      end
    end
  end
end
