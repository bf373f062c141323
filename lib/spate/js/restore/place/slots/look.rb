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
            STILL = Time.at(1)

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
              trees = trees.select { |tree| own?(slot = "#{@folder}/#{@slots[tree.path]}") && still?(slot, tree.path) }
              jobs = trees.map { |tree| [tree.path, [@items.of(tree).manifest]] }
              found = Native.check_trees(jobs, @context.unpackers, @context.store.owner)
              bad = found.to_h { |job,| [job, true] }
              trees.reject.with_index { |_, index| bad[index] }
            end

            # Whether all that belongs to one slot is there. entries: [[path, Symlink or TextFile], ...] or nil.
            def entries?(entries) = entries.nil? || entries.all? { |path, entry| entry?(path, entry) }

            private

            def own?(folder, stat = Store::Object.lstat(folder))
              return false unless stat&.directory?

              @owner ||= [@context.store.owner]
              @owner == [nil] || ([*@owner, 0].include?(stat.uid) && stat.mode & OTHERS == 0)
            end

            def still?(slot, path)
              ["#{slot}/#{Folders::MODULES}", File.dirname(path)].uniq.all? do |folder|
                stat = Store::Object.lstat(folder)
                own?(folder, stat) && stat.mtime == STILL
              end
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
