# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        class Slots
          # Whether slots are as they should be: every file of every package, each link, each bin, and whose they are.
          class Look
            # Who else may write in a folder.
            OTHERS = 0o022

            # slots: { path of a tree => its slot, below the folder }.
            def initialize(context, folder, items, slots)
              @context = context
              @folder = folder
              @items = items
              @slots = slots
            end

            # Those of the trees whose files are right, in a folder that nobody else can have written.
            def trees(trees)
              trees = trees.select { |tree| own?("#{@folder}/#{@slots[tree.path]}") }
              jobs = trees.map { |tree| [tree.path, [@items.of(tree).manifest]] }
              found = Native.check_trees(jobs, @context.unpackers, @context.store.owner)
              bad = found.to_h { |job,| [job, true] }
              trees.reject.with_index { |_, index| bad[index] }
            end

            # Whether all that belongs to one slot is there. entries: [[path, Symlink or TextFile], ...] or nil.
            def entries?(entries) = entries.nil? || entries.all? { |path, entry| entry?(path, entry) }

            private

            def own?(slot)
              stat = Store::Object.lstat(slot)
              return false unless stat&.directory?

              @owner ||= [@context.store.owner]
              @owner == [nil] || ([*@owner, 0].include?(stat.uid) && stat.mode & OTHERS == 0)
            end

            def entry?(path, entry)
              return File.readlink(path) == entry.target if entry.is_a?(Symlink)

              stat = File.lstat(path)
              stat.file? && stat.mode & 0o777 == entry.mode && stat.size == entry.text.bytesize &&
                File.binread(path) == entry.text.b
            rescue SystemCallError
              false
            end
          end
        end
      end
    end
  end
end
