# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Trees of a global virtual store. Each is in a slot, which projects share, together with its links and bins. A
        # slot is created in the store's tmp and renamed when complete. A wrong slot is replaced, never written to.
        # Every slot is checked before use.
        #
        #   <store>/links/<variant>/@scope or @/<name>/<version>/<graph hash>/node_modules/<name>
        class Slots
          KIND = "links"
          # Number of parts in the relative path of a slot.
          DEPTH = 5

          # The folder of all slots. Its path contains no links, since relative links lead up from there.
          def self.folder(store) = File.realpath(store.make(store.path(KIND)))

          def initialize(context, plan, items, trash)
            @context = context
            @store = context.store
            @items = items
            @trash = trash
            @trees = plan.trees.select { |tree| tree.path.start_with?("/") }
            return unless any?

            @folder = Slots.folder(@store)
            @trees.each { |tree| Package::Name.check_path(tree.path.delete_prefix("/"), "plan") }
            @slots = @trees.to_h { |tree| [tree.path, slot(tree.path)] }
          end

          def any? = @trees.any?

          # { relative path of a slot => key of its package, "" if not known yet }
          def used = @trees.to_h { |tree| [@slots[tree.path], @items.of(tree).key.to_s] }

          # Trees whose files are all correct, without any extra files.
          def complete = look.trees(@trees.select { |tree| @items.of(tree).stored? })

          # Creates the slots that are missing or wrong. trees: all trees of the plan that are in the store. placed: the
          # result of #complete. entries: { path => Symlink or TextFile } in slots. Works under a lock, and uses slots
          # that another restore created in the meantime. If the store lacks packages, creates nothing and returns their
          # Items, which must be acquired again.
          def call(trees, placed, entries)
            open = trees.reject(&whole(placed, entries))
            return [] if open.empty?

            @store.lock(KIND) do
              make(open.reject(&whole(look.trees(open), entries)), entries.group_by { |path, _| slot(path) })
            end
          end

          private

          def look = @look ||= Look.new(@context, @folder, @items, @slots)
          def full(slot) = "#{@folder}/#{slot}"

          # Returns a lambda that returns whether a tree is complete. trees: trees whose files are correct; links and
          # bins are checked here.
          def whole(trees, entries)
            others = look.others(entries).to_h { |path| [slot(path), true] } if trees.any?
            found = trees.to_h { |tree| [tree.path, !others[@slots[tree.path]]] }
            ->(tree) { found[tree.path] }
          end

          def slot(path)
            inside = path.delete_prefix("#{@folder}/")
            found = inside[0, inside.index("/#{Folders::MODULES}/") || 0]
            return found if found.count("/") == DEPTH - 1 && !found.start_with?("/") && !found.include?("//")

            raise FolderError, "not in a slot of the global virtual store: #{path}"
          end

          # Creates the slots as numbered folders in one folder of tmp, then moves them into place.
          def make(trees, entries)
            return [] if trees.empty?

            fresh = @store.temporary("slots")
            numbers = trees.each_with_index.to_h { |tree, number| [@slots[tree.path], number.to_s] }
            place = ->(path) { numbers.fetch(own = slot(path)) + path.delete_prefix(full(own)) }
            lost = fill(@store.make(fresh), trees, numbers.keys.flat_map { |each| entries[each].to_a }, place)
            return lost if lost.any?

            numbers.each_value { |number| Look.still("#{fresh}/#{number}") }
            numbers.each { |slot, number| put("#{fresh}/#{number}", full(slot)) }
            []
          ensure
            Store::Sweep.remove(fresh) if fresh
          end

          def fill(fresh, trees, entries, place)
            links, files = entries.partition { |_, entry| entry.is_a?(Symlink) }
            lost = link(fresh, trees, place, links.to_h { |path, entry| [place[path], entry.target] })
            return lost if lost.any?

            files.each { |path, entry| write(fresh, place[path], entry) }
            []
          rescue SystemCallError => e
            raise Store::Error.for(e, fresh)
          end

          def write(fresh, inside, entry)
            Package::Name.check_path(inside, "plan")
            Util::Files.make_folder(File.dirname(path = "#{fresh}/#{inside}"))
            Util::Files.write(path, entry.text, mode: entry.mode)
          end

          # Links the files of trees and creates links. Returns the Items that the store lacks.
          def link(fresh, trees, place, links)
            jobs = trees.map do |tree|
              item = @items.of(tree)
              Install::Link::Linking::Job.new(item, item, @store.package_path(item.key), place[tree.path],
                                              @context.shared_method)
            end
            Install::Link::Linking.new(@store, root: fresh) { |_, result| refuse(result) }.call(jobs, links: links).uniq
          end

          def refuse(result)
            raise Store::Error.for(result.errno, result.member) if result.errno.positive?

            raise Store::Error.new("#{result.member}: #{result.message}", hint: "run `spate js` again")
          end

          # Renames a slot into place. Moves an existing slot aside, to be deleted at the end.
          def put(fresh, slot)
            @store.make(File.dirname(slot))
            @trash.take(slot)
            File.rename(fresh, slot)
          end

          # Checks whether slots are correct: every file of every package, each link, each bin, and the owner.
          class Look
            # Write permission for other users.
            OTHERS = 0o022
            # The mtime set on the folders of a slot that contain names. Adding or removing a name changes it.
            STILL = Time.at(0, Native::STILL_NS, :nsec)

            # Sets mode and mtime of a new slot. The result does not depend on the umask.
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

            # slots: { path of a tree => relative path of its slot }.
            def initialize(context, folder, items, slots)
              @context = context
              @folder = folder
              @items = items
              @slots = slots
            end

            # The trees whose files are correct, without extra files. Only this user and root may be able to write to
            # the folders.
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

            # The length of the slot's path, in bytes.
            def slot_length(tree) = @folder.bytesize + 1 + @slots[tree.path].bytesize
          end
        end
      end
    end
  end
end
