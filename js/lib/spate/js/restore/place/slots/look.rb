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
            # When the folders of names in a slot were last changed, as far as they tell: each name that comes or goes
            # there makes it another time.
            STILL = Time.at(0, Native::STILL_NS, :nsec)

            # Says so of a slot that is made, whatever the umask was.
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

            # Those of the trees whose files are right, and nothing beside them, in folders that nobody else can have
            # written.
            def trees(trees)
              jobs = trees.map { |tree| [tree.path, [@items.of(tree).manifest], nil, slot_length(tree)] }
              found = Native.check_trees(jobs, @context.unpackers, @context.store.owner)
              bad = found.to_h { |job,| [job, true] }
              trees.reject.with_index { |_, index| bad[index] }
            end

            # Paths of those that are missing or others. entries: { path => Symlink or TextFile }.
            def others(entries)
              links = entries.to_h { |path, entry| [path.delete_prefix("#{@folder}/"), Entries.plain(entry)] }
              Native.check_links(@folder, links, @context.unpackers).map { |path| "#{@folder}/#{path}" }
            end

            private

            # Of the path that leads to it.
            def slot_length(tree) = @folder.bytesize + 1 + @slots[tree.path].bytesize
          end
        end
      end
    end
  end
end
