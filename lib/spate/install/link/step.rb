# frozen_string_literal: true

module Spate
  module Install
    module Link
      # Puts packages' files into gems/: a tree that was just unpacked is renamed, all else is linked in one call of the
      # core. A damaged object ends only its own package's job; it is healed and linked again.
      class Step
        # The first Bundler that makes a gem's folder as any other: `FileUtils.mkdir_p gem_dir`, without `mode:`.
        UMASKED = GemVersion.parse("4.0.13")

        def initialize(context)
          @context = context
          @layout = context.layout
          @store = context.store
          # item => [[path, where it is aside], ...] of what was there before
          @touched = {}.compare_by_identity
        end

        # items: all stored. Answers those whose files the store turned out not to have whole: they must be acquired
        # again.
        def call(items)
          items.each { |item| clear(item) }
          lost = link(items.reject { |item| rename_tree(item) })
          linked = items - lost
          overlay(linked)
          linked.each { |item| confirm(item) }
          folder_modes(linked)
          lost.each { |item| clear(item) }
        end

        # Takes out of the bundle what this run put there of items that will not be installed, and puts back what was
        # whole before.
        def discard(items) = items.each { |item| put_back(item) if @touched[item] }

        # Deletes what was moved aside; last, because deleting many files slows the creation of others.
        def empty_trash
          Store::Sweep.remove(@trash) if @trash
          @trash = nil
        end

        def destination(item) = "#{@layout.gems}/#{item.full_name}"

        private

        # What an interrupted install left, or what is to be replaced. The specification goes first: while it is there,
        # the gem counts as installed.
        def clear(item)
          paths = [@layout.specification(item.package), destination(item), "#{@layout.extensions}/#{item.full_name}",
                   "#{@layout.build_info}/#{item.full_name}.info"]
          there = paths.select { |path| File.exist?(path) || File.symlink?(path) }
          aside = there.map { |path| [path, move_aside(path)] }
          @touched[item] ||= aside
        end

        # Where it is now; nil where it could only be deleted.
        def move_aside(path)
          File.rename(path, trash = @store.temporary("trash"))
          (@trash ||= []) << trash
          trash
        rescue Errno::EXDEV, Errno::EROFS, Errno::EACCES, Errno::EPERM, Store::Error
          Store::Sweep.remove(path)
          nil
        end

        # A gem without its specification was not installed. The specification comes last again, so whoever sees it sees
        # a whole gem.
        def put_back(item)
          clear(item)
          before = @touched.delete(item)
          return unless before.all?(&:last) && before.first&.first&.end_with?(".gemspec")

          before.reverse_each { |path, aside| File.rename(aside, path) }
        rescue SystemCallError
          nil # the next install makes it again
        end

        # The manifest's, in the store.
        def path(item) = @store.package_path(@context.package_key(item.sha256))

        def rename_tree(item)
          return false if item.tree.nil? || builds?(item)

          File.rename(item.tree, destination(item))
          item.tree = nil
          true
        rescue Errno::EXDEV
          false
        end

        # A gem that will be built gets files of its own: a build may write into them.
        def builds?(item) = item.native? && item.build.nil?

        # Answers those that are lost. Objects that differ from their manifest in content or time are looked at again
        # and healed, all together; then their packages are linked once more.
        def link(items)
          stale = try(items)
          return [] if stale.empty?

          renewed = @store.renew(stale.map { |item| path(item) })
          stale.each { |item| item.manifest = renewed[path(item)] }
          whole, lost = stale.partition(&:manifest)
          whole.each { |item| clear(item) }
          @context.events.emit(:healed, packages: whole.map(&:full_name)) unless whole.empty?
          lost + try(whole)
        end

        # One call of the core for all; answers the items that have a damaged object.
        def try(items)
          return [] if items.empty?

          jobs = items.map { |item| [destination(item), [item.manifest], builds?(item) ? :copy : @context.link_method] }
          results = @context.native.link(jobs)
          items.zip(results).reject { |item, result| result.ok? || settle(item, result) }.map(&:first)
        end

        # false if it can be healed; raises otherwise.
        def settle(item, result)
          raise Interrupted, "interrupted" if result.status == :cancelled
          return false if result.status == :stale

          raise IndistinctError.file(item.full_name, result.member) if failed_by?(Errno::EEXIST, result)

          denied = Denied.new(destination(item)) if failed_by?(Errno::EACCES, result)
          raise Store::Error.new("#{item.full_name}: #{denied.message}", hint: denied.hint) if denied

          raise Store::Error.new("#{item.full_name}: #{result.message}",
                                 hint: "see that the disk has room and the bundle's folder can be written")
        end

        def failed_by?(error, result) = result.message.end_with?(error.new.message)

        # A gem's own folder has this mode whatever the umask: so Bundlers made it before UMASKED.
        def folder_modes(items)
          return if @context.umask == 0o022 || umasked?

          items.each { |item| File.chmod(0o755, destination(item)) }
        end

        def umasked?
          version = @layout.rubygems.bundler_version
          !version.nil? && GemVersion.parse(version) >= UMASKED
        end

        # What was hashed under this boot is trusted until the next one.
        def confirm(item)
          @store.confirm(item.manifest, path(item))
          item.build&.confirm
        end

        # A cached build lies over the package: its files are relative to the bundle's root.
        def overlay(items)
          built = items.select(&:build)
          return if built.empty?

          stale = link_builds(built)
          return if stale.empty?

          stale.each { |item| item.build = item.build.renew }
          link_builds(stale.select(&:build))
          rebuild(stale.reject(&:build))
        end

        # What a build made belongs to the bundle alone, however it is linked.
        def link_builds(items)
          items.each { |item| replace_changed(item) }
          items.group_by { |item| item.build.store }.flat_map do |store, kept|
            jobs = kept.map { |item| [@layout.root, [item.build.manifest], :clone] }
            kept.zip(store.native.link(jobs)).reject { |item, result| result.ok? || settle(item, result) }.map(&:first)
          end
        end

        def replace_changed(item)
          Build::Cache::Removals.each(item.build.manifest, @layout.root, below: "gems/#{item.full_name}/") do |path|
            File.directory?(path) && !File.symlink?(path) ? move_aside(path) : File.unlink(path)
          end
        end

        # A damaged build is made again, in files of the gem's own.
        def rebuild(items)
          items.each { |item| clear(item) }
          try(items)
        end
      end
    end
  end
end
