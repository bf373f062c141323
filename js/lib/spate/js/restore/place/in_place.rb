# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Finds the trees that are correct and need not be placed again. These must have been placed by an earlier
        # restore of this project. If the project's Record is valid, compares the lstat of each package.json; otherwise,
        # after a kill or if another tool ran, the stat of every file. A tree with files that the user edited stays.
        class InPlace
          # [Tree]: trees that stay although files in them were edited.
          attr_reader :edited

          # written: whether the project's own scripts may have written to packages.
          def initialize(context, plan, items, folders, written: false)
            @context = context
            @folders = folders
            @plan = plan
            @items = items
            @store = context.store
            @written = written
            @edits = {}
            @edited = []
          end

          # Returns the trees that stay: [Tree].
          def call
            return [] unless File.directory?(@context.path(Memory::Places::MODULES))

            recorded, method = Memory::Places.load(@context, @plan.root)
            return [] if recorded.empty? || method != @context.link_method || left_over?

            same = @plan.trees.select { |tree| same?(tree, recorded[tree.path]) }
            whole(same, recorded)
          end

          private

          # Whether packages may contain files written by scripts of the project that it no longer has.
          def left_over? = !@written && !!record&.summary&.key?("own")

          def same?(tree, recorded)
            key = @items.of(tree).key
            !recorded.nil? && @items.of(tree).stored? && recorded.packages == [key] &&
              !@context.options.restore?(tree) &&
              @folders.real?(tree.path)
          end

          # Excludes a tree inside the folder of a tree that does not stay, because that folder is removed.
          def whole(trees, recorded)
            known, open = trees.partition do |tree|
              (!@written || recorded[tree.path].private?) && unchanged?(tree)
            end
            kept = known + by_stat(open.reject { |tree| recorded[tree.path].private? })
            paths = Paths.new(@plan.trees)
            stay = kept.to_h { |tree| [tree.path, true] }
            kept = kept.select { |tree| paths.above(tree.path).all? { |path| stay[path] } }
            @edited = kept.select { |tree| @edits[tree.path] }
            kept
          end

          def unchanged?(tree)
            name = "#{tree.path}/package.json"
            before[name] && before[name] == now[name]
          end

          def before = @before ||= record&.by_name || {}
          def record = @record ||= Memory::Record.load(@store, @plan.root)

          def now
            @now ||= Memory::Record.new(@plan.root, surroundings: "", summary: {}, names: record.names).by_name
          end

          def by_stat(trees)
            jobs = trees.map { |tree| [@context.path(tree.path), [@items.of(tree).manifest]] }
            return [] if jobs.empty?

            found = Native.check_trees(jobs, @context.unpackers, @store.owner).group_by(&:first)
            trees.reject.with_index { |tree, index| found[index] && !edit?(tree, found[index]) }
          end

          # Whether the tree contains the same package with all its files, some of which the user edited. False after a
          # kill, or if another tool ran: the cause of a difference is then unknown.
          def edit?(tree, differences)
            return false if @written || !record&.state?
            return false unless differences.all? { |*, kind| kind == :changed } && itself?(tree)

            files = differences.map { |_, _, index| @items.of(tree).manifest.entry(index) }
            edits = files.reject { |entry| Store::Object.matches?(@store, entry, file(tree, entry[:path])) }
            @edits[tree.path] = true if edits.any?
            files.all? { |entry| ours?(file(tree, entry[:path])) }
          end

          def file(tree, inside) = @context.path("#{tree.path}/#{inside}")

          def itself?(tree)
            found = Package::Facts.of_folder(@context.path(tree.path))
            facts = @items.of(tree).facts
            !found.nil? && [found.name, found.version] == [facts.name, facts.version]
          rescue PackageFileError
            false
          end

          # Whether the user may have edited the file. Not if another user owns its inode, see Store#owner.
          def ours?(path)
            stat = File.lstat(path)
            stat.nlink == 1 || @store.owner.nil? || [@store.owner, 0].include?(stat.uid)
          end
        end

        # Restores the files of packages that stayed in place from their archives: they may have been edited, or changed
        # by scripts that would run differently now. Does not change nested packages and executables.
        class Anew
          MODULES = "node_modules"

          # stayed: trees that were already in place.
          def initialize(context, items, stayed, trash)
            @context = context
            @store = context.store
            @items = items
            @trash = trash
            @mutex = Mutex.new
            @stayed = stayed.to_h { |tree| [tree.path, true] }
          end

          # Does nothing for a tree that this restore has placed. Thread-safe.
          def call(tree)
            return unless @stayed[tree.path]

            folder = @context.path(tree.path)
            manifest = @items.of(tree).manifest
            @mutex.synchronize { clear(folder, manifest) }
            result = @context.native.link([[folder, [manifest], :copy]]).first
            return if result.ok?

            raise Store::Error.new("#{tree.package.full_name}: #{result.message}", hint: "run `spate js` again")
          end

          # Whether a tree consists of exactly the unchanged files of its archive. files: relative to the tree.
          def whole?(tree, files)
            manifest = @items.of(tree).manifest
            (files - manifest.paths).all? { |path| path.start_with?("#{MODULES}/") } &&
              Native.check_trees([[@context.path(tree.path), [manifest]]], 1, @store.owner).empty?
          end

          private

          def clear(folder, manifest)
            @trash.clear(folder, MODULES)
            manifest.paths.each do |path|
              next unless path.start_with?("#{MODULES}/")

              full = "#{folder}/#{path}"
              next if File.directory?(full) && !File.symlink?(full)

              @trash.take(full)
              @trash.made(full)
            end
          end
        end
      end
    end
  end
end
