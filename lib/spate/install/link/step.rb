# frozen_string_literal: true

module Spate
  module Install
    module Link
      # Installs the files of packages in gems/: renames newly unpacked trees, and links all others in one call of the
      # core. A damaged object fails only the job of its package. The object is then repaired and linked again.
      class Step
        # The first Bundler version that applies the umask to a gem's folder. It calls `FileUtils.mkdir_p gem_dir`
        # without `mode:`.
        UMASKED = GemVersion.parse("4.0.13")

        def initialize(context)
          @context = context
          @layout = context.layout
          @store = context.store
          # item => [[path, new path], ...] of previous files that were moved aside
          @touched = {}.compare_by_identity
        end

        # items: items in the store. Returns the items whose files are missing from the store after all, and must be
        # acquired again.
        def call(items)
          items.each { |item| clear(item) }
          lost = link(items.reject { |item| rename_tree(item) })
          linked = items - lost
          overlay(linked)
          linked.each { |item| confirm(item) }
          folder_modes(linked)
          lost.each { |item| clear(item) }
        end

        # Removes the files of items that are not fully installed from the bundle, and restores the previous files.
        def discard(items) = items.each { |item| restore_previous(item) if @touched[item] }

        # Deletes the files that were moved aside. Called last, because deleting many files slows down the creation of
        # others.
        def empty_trash
          Store::Sweep.remove(@trash) if @trash
          @trash = nil
        end

        def destination(item) = "#{@layout.gems}/#{item.full_name}"

        private

        # Removes leftovers of an interrupted install, or the version to replace. Removes the specification first,
        # because the gem counts as installed as long as it exists.
        def clear(item)
          paths = [@layout.specification(item.package), destination(item), "#{@layout.extensions}/#{item.full_name}",
                   "#{@layout.build_info}/#{item.full_name}.info"]
          there = paths.select { |path| File.exist?(path) || File.symlink?(path) }
          aside = there.map { |path| [path, move_aside(path)] }
          @touched[item] ||= aside
        end

        # Returns the new path, or nil if the file could not be moved and was deleted.
        def move_aside(path)
          File.rename(path, trash = @store.temporary("trash"))
          (@trash ||= []) << trash
          trash
        rescue Errno::EXDEV, Errno::EROFS, Errno::EACCES, Errno::EPERM, Store::Error
          Store::Sweep.remove(path)
          nil
        end

        # Restores a gem that had a specification and was therefore installed. Restores the specification last, so that
        # other processes see only complete gems.
        def restore_previous(item)
          clear(item)
          before = @touched.delete(item)
          return unless before.all?(&:last) && before.first&.first&.end_with?(".gemspec")

          before.reverse_each { |path, aside| File.rename(aside, path) }
        rescue SystemCallError
          nil # the next install installs it again
        end

        # The path of an item's manifest in the store.
        def path(item) = @store.package_path(@context.package_key(item.sha256))

        def rename_tree(item)
          return false if item.tree.nil? || builds?(item)

          File.rename(item.tree, destination(item))
          item.tree = nil
          true
        rescue Errno::EXDEV
          false
        end

        # A gem that will be built gets copies, since the build may write to its files.
        def builds?(item) = item.native? && item.build.nil?

        # Returns the items whose files are missing from the store. Checks and repairs all objects whose content or time
        # differs from the manifest, and links their packages again.
        def link(items)
          linking(@store).call(jobs(items)) do |whole|
            whole.each { |item| clear(item) }
            @context.events.emit(:healed, packages: whole.map(&:full_name)) unless whole.empty?
          end
        end

        def jobs(items)
          items.map do |item|
            Linking::Job.new(item, item, path(item), destination(item),
                             builds?(item) ? :copy : @context.link_method)
          end
        end

        def linking(store) = Linking.new(store) { |item, result| refuse(item, result) }

        def refuse(item, result)
          raise IndistinctError.file(item.full_name, result.member) if failed_by?(Errno::EEXIST, result)

          denied = PermissionError.new(destination(item)) if failed_by?(Errno::EACCES, result)
          raise Store::Error.new("#{item.full_name}: #{denied.message}", hint: denied.hint) if denied

          raise Store::Error.new("#{item.full_name}: #{result.message}",
                                 hint: "check the free disk space and that the bundle's folder is writable")
        end

        def failed_by?(error, result) = result.message.end_with?(error.new.message)

        # Bundler versions before UMASKED ignore the umask for a gem's folder, so this does too.
        def folder_modes(items)
          return if @context.umask == 0o022 || umasked?

          items.each { |item| File.chmod(0o755, destination(item)) }
        end

        def umasked?
          version = @layout.rubygems.bundler_version
          !version.nil? && GemVersion.parse(version) >= UMASKED
        end

        # Records that the files were hashed in this boot of the machine, so that they are not hashed again until a
        # reboot.
        def confirm(item)
          @store.confirm(item.manifest, path(item))
          item.build&.confirm
        end

        # Adds the files of stored builds to the linked packages. Their paths are relative to the bundle's root.
        def overlay(items)
          built = items.select(&:build)
          return if built.empty?

          stale = link_builds(built)
          return if stale.empty?

          stale.each { |item| item.build = item.build.renew }
          link_builds(stale.select(&:build))
          rebuild(stale.reject(&:build))
        end

        # Returns the items whose stored build has damaged objects. Files of builds are always cloned, never linked.
        def link_builds(items)
          items.each { |item| replace_changed(item) }
          items.group_by { |item| item.build.store }.flat_map do |store, kept|
            jobs = kept.map { |item| Linking::Job.new(item, item.build, nil, @layout.root, :clone) }
            linking(store).link_once(jobs).map(&:owner)
          end
        end

        def replace_changed(item)
          Build::Cache::Removals.each(item.build.manifest, @layout.root, below: "gems/#{item.full_name}/") do |path|
            File.directory?(path) && !File.symlink?(path) ? move_aside(path) : File.unlink(path)
          end
        end

        # Prepares items whose stored build is damaged for a new build, which needs copies of the gem's files.
        def rebuild(items)
          items.each { |item| clear(item) }
          linking(@store).link_once(jobs(items))
        end
      end
    end
  end
end
