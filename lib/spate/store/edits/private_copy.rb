# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # `spate edit GEM`: gives a package's tree in one bundle separate inodes, so that any editor may write to the
      # files, and records the tree as private, so that install keeps it and checks ignore it.
      class PrivateCopy
        # files, bytes: copied in this run; edits: [Edit] found in the tree before, which the copy keeps.
        Result = Struct.new(:root, :path, :files, :bytes, :edits, keyword_init: true)

        def initialize(store)
          @store = store
        end

        # tree_path: of one of the record's trees, "gems/rake-13.0.6". Its files may also have links in bundles of a
        # deleted store. Each file is copied to a temporary name and renamed: an interrupted run leaves a tree that is
        # partly private, but correct. Raises ArgumentError without such a tree or its folder, and Full.
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

        # Reported now, since later checks ignore a private tree.
        def edits(record, tree)
          jobs = [[record.destination(tree), tree.manifests(@store)]]
          Edits.new(@store, record, jobs: jobs).call(Native.check_trees(jobs, 1, @store.owner))
        end

        # Every file in the tree's folder that has several links, whether it is in a manifest or not.
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
