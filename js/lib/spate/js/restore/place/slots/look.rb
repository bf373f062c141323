# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        class Slots
          # Whether slots are correct: every file of every package, each link, each bin, and the owner.
          class Look
            # Write permission for other users.
            OTHERS = 0o022
            # The mtime given to the folders of names in a slot: adding or removing a name changes it.
            STILL = Time.at(0, Native::STILL_NS, :nsec)

            # Sets mode and mtime of a new slot, independent of the umask.
            def self.still(slot)
              close(slot) unless File.umask & OTHERS == OTHERS
              modules = "#{slot}/#{Folders::MODULES}"
              scopes = Dir.children(modules).grep(/\A@/).map { |name| "#{modules}/#{name}" }
              File.utime(STILL, STILL, modules, *scopes)
            end

            def self.close(folder)
              File.chmod(0o755, folder)
              Dir.each_child(folder) { |name| close("#{folder}/#{name}") if File.lstat("#{folder}/#{name}").directory? }
            end
            private_class_method :close

            # slots: { path of a tree => its slot, below the folder }.
            def initialize(context, folder, items, slots)
              @context = context
              @folder = folder
              @items = items
              @slots = slots
            end

            # Those of the trees whose files are right, without any others, in folders that only this user and root can
            # have written.
            def trees(trees)
              jobs = trees.map { |tree| [tree.path, [@items.of(tree).manifest], nil, slot_length(tree)] }
              found = Native.check_trees(jobs, @context.unpackers, @context.store.owner)
              bad = found.to_h { |job,| [job, true] }
              trees.reject.with_index { |_, index| bad[index] }
            end

            # Paths of missing or wrong entries. entries: { path => Symlink or TextFile }.
            def others(entries)
              links = entries.to_h { |path, entry| [path.delete_prefix("#{@folder}/"), Entries.plain(entry)] }
              Native.check_links(@folder, links, @context.unpackers).map { |path| "#{@folder}/#{path}" }
            end

            private

            # Length of the slot's path.
            def slot_length(tree) = @folder.bytesize + 1 + @slots[tree.path].bytesize
          end
        end
      end
    end
  end
end
