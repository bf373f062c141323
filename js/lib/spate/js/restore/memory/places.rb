# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
        # The package of each tree of a project, stored as a Store::BundleRecord of its node_modules. Prune uses it to
        # find packages in use, and the next restore to find trees that it need not touch.
        module Places
          MODULES = "node_modules"

          module_function

          # built: keys of trees whose scripts ran or are about to run, so that their files are not shared. builds: keys
          # of the stored results of these scripts. slots: see Store::BundleRecord.
          def save(context, plan, items, built: [], builds: [], slots: {})
            built = built.to_h { |key| [key, true] }
            trees = plan.trees.reject { |tree| tree.path.start_with?("/") }.filter_map do |tree|
              key = items.of(tree).key or next
              Store::BundleRecord::Tree.new(path: inside(tree.path), packages: [key], private: !!built[tree.key])
            end
            trees << Store::BundleRecord::Tree.new(path: "", builds: builds) unless builds.empty?
            record(plan.root, trees, context.link_method, slots).save(context.store)
          end

          # { path of a tree => BundleRecord::Tree }, and the method by which its files were placed.
          def load(context, root)
            record = Store::BundleRecord.load(context.store, "#{root}/#{MODULES}") or return [{}, nil]
            [record.trees.to_h { |tree| [outside(tree.path), tree] }, record.link_method.to_sym]
          end

          # The builds that #save recorded.
          def builds(context, root)
            record = Store::BundleRecord.load(context.store, "#{root}/#{MODULES}")
            record ? record.trees.flat_map(&:builds) : []
          end

          # Paths of a plan are relative to the project, paths of the record to its node_modules.
          def inside(path) = path.start_with?("#{MODULES}/") ? path.delete_prefix("#{MODULES}/") : "../#{path}"
          def outside(path) = path.start_with?("../") ? path.delete_prefix("../") : "#{MODULES}/#{path}"

          def record(root, trees, method, slots)
            Store::BundleRecord.new(root: "#{root}/#{MODULES}", app: root, trees: trees, link_method: method,
                                    slots: slots)
          end
        end

        # The paths whose lstat a Record keeps.
        class Names
          # Absolute paths of archives in the project without a digest: replacing one changes the package.
          def self.archives(plan)
            plan.trees.map(&:package).select { |package| package.file? && package.integrity.nil? }.uniq(&:resolved)
                .map { |package| File.join(plan.root, package.resolved.delete_prefix("file:").delete_prefix("./")) }
          end

          # trees: the ones in place; entries: paths of links and bins; state: paths of state files.
          def initialize(trees, entries, state)
            @trees = trees
            @entries = entries
            @state = state
          end

          # State files of the tool, each with a NUL.
          def watched = @state.map { |name| "#{name}\0" }.join

          # All paths, in the same format. A folder's mtime changes when a name in it is added or removed.
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
