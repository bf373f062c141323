# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Trees of a global virtual store: each in a slot that all projects share, with the links and bins that belong
        # to it. A slot is made under a name of its own and renamed when it is whole, so it is there or not; who comes
        # second takes what the first has made. Nothing is ever changed in one.
        class Slots
          MODULES = "/node_modules/"
          # Of Native.marks: type and permissions, size, inode, mtime.
          MARK = "QQQq"

          # The slot that an absolute path is in.
          def self.of(path) = path[0...path.index(MODULES, path.rindex("/links/") || 0)]

          def initialize(context, plan, items, trash)
            @context = context
            @items = items
            @trash = trash
            @trees = plan.trees.select { |tree| tree.path.start_with?("/") }
            @trees.each { |tree| check(tree.path) }
          end

          def any? = @trees.any?

          # Trees whose slots are there and whole, as far as their package.json tells.
          def complete
            stored = @trees.select { |tree| @items.of(tree).stored? }
            names = stored.map { |tree| "#{tree.path}/package.json\0" }.join
            marks = Native.marks("/", names).to_s.unpack(MARK * stored.size).each_slice(4)
            stored.zip(marks).select { |tree, mark| same?(@items.of(tree).manifest, mark) }.map(&:first)
          end

          # trees: of slots that are to be made, all in the store. entries: { path => Symlink or TextFile } of all
          # slots.
          def call(trees, entries)
            slots = trees.to_h { |tree| [slot = Slots.of(tree.path), Ground::Files.beside(slot)] }
            make(trees, entries.select { |path, _| slots.key?(Slots.of(path)) }, slots)
            whole = complete.to_h { |tree| [Slots.of(tree.path), true] }
            slots.each { |slot, fresh| put(slot, fresh) unless whole[slot] }
          ensure
            slots&.each_value { |fresh| Store::Sweep.remove(fresh) if File.exist?(fresh) }
          end

          private

          def check(path)
            Package::Name.check_path(path.delete_prefix("/"), "plan")
            raise FolderError, "#{path} is in no slot" unless path.include?("/links/") && path.include?(MODULES)
          end

          def same?(manifest, mark)
            index = manifest.index("package.json") or return mark[0].positive?
            entry = manifest.entry(index)
            mark[0].positive? && mark[1] == entry[:size] && mark[3] == entry[:mtime_ns]
          end

          def make(trees, entries, slots)
            fresh = ->(path) { slots.fetch(slot = Slots.of(path)) + path.delete_prefix(slot) }
            jobs = trees.map { |tree| [fresh[tree.path], [@items.of(tree).manifest], @context.link_method] }
            links, files = entries.partition { |_, entry| entry.is_a?(Symlink) }
            link(trees, jobs, links.to_h { |path, entry| [fresh[path], entry.target] })
            files.each do |path, entry|
              Ground::Files.make_folder(File.dirname(fresh[path]))
              Ground::Files.write(fresh[path], entry.text, mode: entry.mode)
            end
          end

          # Below "/", so that all is one call.
          def link(trees, jobs, links, again: true)
            inside = jobs.map { |path, *rest| [path.delete_prefix("/"), *rest] }
            *results, made = @context.native.link(inside, root: "/", links: links.transform_keys { |path| path[1..] })
            bad = [*results, made].reject(&:ok?)
            return if bad.empty?
            raise Interrupted, "interrupted" if bad.any? { |result| result.status == :cancelled }
            raise Store::Error.for(bad.first.errno, bad.first.member) if bad.first.errno.positive?
            raise Store::Missing, "#{bad.first.member}: #{bad.first.message}" unless again

            heal(trees)
            link(trees, trees.zip(jobs).map { |tree, job| [job[0], [@items.of(tree).manifest], job[2]] }, links,
                 again: false)
          end

          def heal(trees)
            trees.map { |tree| @items.of(tree) }.uniq.each do |item|
              path = @context.store.package_path(item.key)
              item.manifest = @context.store.renew([path])[path] or
                raise Store::Missing.new("#{item.full_name} is damaged in the store", hint: "restore again")
            end
          end

          # What is there is not whole.
          def put(slot, fresh)
            @trash.take(slot)
            File.rename(fresh, slot)
          rescue Errno::ENOTEMPTY, Errno::EEXIST
            nil # somebody else's, since then
          end
        end
      end
    end
  end
end
