# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # `spate edit GEM`: gives a package's tree in one bundle inodes of its own, so that any editor may write there,
      # and records the tree as private, so that install keeps it and checks say nothing about it.
      class PrivateCopy
        # files, bytes: what was copied now; edits: [Edit] found in the tree before, which stay in the copy.
        Result = Struct.new(:root, :path, :files, :bytes, :edits, keyword_init: true)

        def initialize(store)
          @store = store
        end

        # tree_path: of one of the record's trees, "gems/rake-13.0.6". Its files may have names in bundles of a
        # store that was deleted, too. Each file is copied beside itself and renamed over itself: a kill leaves a tree
        # that is partly private and wholly right. Raises ArgumentError without such a tree or its folder, Full.
        def call(record, tree_path)
          tree = record.tree(tree_path)
          unless tree && File.directory?(record.destination(tree))
            raise ArgumentError, "no tree #{tree_path} in #{record.root}"
          end

          edits = edits(record, tree)
          copied = shared_files(record, tree).map { |one| @store.guard(one.file) { one.detach } }
          record.mark(tree_path, private: true).save(@store)
          Result.new(root: record.root, path: tree_path, files: copied.size, bytes: copied.sum, edits: edits)
        end

        private

        # Told now, for no check looks into a private tree.
        def edits(record, tree)
          jobs = [[record.destination(tree), tree.manifests(@store)]]
          Edits.new(@store, record, jobs: jobs).call(Native.check_trees(jobs, 1, @store.owner))
        end

        # Every file below the tree's folder with other names, whether a manifest knows it or not.
        def shared_files(record, tree)
          root = record.destination(tree)
          Dir.glob("**/*", File::FNM_DOTMATCH, base: root).filter_map do |path|
            stat = File.lstat(File.join(root, path))
            BundleFile.new(root: record.root, inside: File.join(tree.path, path)) if stat.file? && stat.nlink > 1
          end
        end
      end
    end
  end
end
