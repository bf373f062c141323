# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Puts the files of packages into place. A tree that was created while its archive was unpacked is renamed; all
        # others are linked in one call of the core. A damaged object fails only its own package, which is repaired and
        # linked again.
        class Trees
          # copies: paths of trees whose files are always copied.
          def initialize(context, items, folders, trash)
            @context = context
            @store = context.store
            @items = items
            @folders = folders
            @trash = trash
            @copies = {}
          end

          # From now on, copies the files of these trees, because scripts or patches will write to them. paths: paths of
          # the trees.
          def copy(paths) = paths.each { |path| @copies[path] = true }

          # trees: all are in the store, and nothing exists at their paths. Returns the Items that the store lacks,
          # which must be acquired again.
          def call(trees)
            started = Util.now
            lost = link(trees.reject { |tree| rename(tree) }).map { |tree| @items.of(tree) }.uniq
            lost.each { |item| item.manifest = nil }
            good = trees.select { |tree| @items.of(tree).stored? }
            @context.events.emit(:js_link_done, total: trees.size, seconds: (Util.now - started).round(6))
            good.each { |tree| @context.events.emit(:js_linked, name: tree.package.full_name) }
            confirm(good)
            lost
          end

          # Removes obstacles at the paths of trees, before any tree is placed.
          def clear(trees)
            trees.each do |tree|
              path = @context.path(tree.path)
              @trash.take(path) if @folders.clear(tree.path) == :folder
              @trash.made(path)
            end
          end

          private

          # Renames the tree into place. Returns false if it was not unpacked as a tree, or a tree inside it was placed
          # first.
          def rename(tree)
            item = @items.of(tree)
            return false if item.tree.nil? || @copies[tree.path]

            @folders.make(tree.path)
            File.rename(item.tree, @context.path(tree.path))
            item.tree = nil
            true
          rescue Errno::EXDEV, Errno::ENOTEMPTY, Errno::EEXIST
            item.discard_tree
            false
          end

          # Links trees. Returns those whose packages the store lacks.
          def link(trees)
            jobs = trees.sort_by(&:path).map do |tree|
              item = @items.of(tree)
              Install::Link::Linking::Job.new(tree, item, @store.package_path(item.key), tree.path,
                                              @copies[tree.path] ? :copy : @context.link_method)
            end
            Install::Link::Linking.new(@store, root: @context.root) { |tree, result| refuse(tree, result) }.call(jobs)
          end

          def refuse(tree, result)
            raise FolderError.for(result.errno, result.member, @context.root) if result.errno.positive?

            folder = File.dirname(@context.path(tree.path))
            raise Store::Error.new("#{tree.package.full_name}: #{result.message}",
                                   hint: "check the free disk space and that #{folder} is writable")
          end

          # Records that files were hashed since the boot. They are not hashed again before the next boot.
          def confirm(trees)
            trees.map { |tree| @items.of(tree) }.uniq.each do |item|
              @store.confirm(item.manifest, @store.package_path(item.key)) unless item.manifest.this_boot?
            end
          end
        end
      end
    end
  end
end
