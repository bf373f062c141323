# frozen_string_literal: true

module Spate
  module Install
    # Puts packages' files into gems/: a tree that was just unpacked is renamed, all else is linked in one call of the
    # core. A damaged object ends only its own package's job; it is healed and linked again.
    class LinkStep
      def initialize(context, inventory)
        @context = context
        @layout = context.layout
        @store = context.store
        @inventory = inventory
      end

      # items: all stored. Answers those that could not be linked for want of an archive to heal from.
      def call(items)
        items.each { |item| clear(item) }
        renamed, rest = items.partition { |item| rename_tree(item) }
        link(rest)
        overlay(items)
        renamed + rest
      end

      # Deletes what was moved aside; last, because deleting many files slows the creation of others.
      def empty_trash
        return unless @trash

        require "fileutils"
        FileUtils.rm_rf(@trash)
        @trash = nil
      end

      def destination(item) = "#{@layout.gems}/#{item.full_name}"

      private

      # What an interrupted install left: without a specification it is nobody's.
      def clear(item)
        [destination(item), "#{@layout.extensions}/#{item.full_name}"].each do |path|
          next unless File.exist?(path)

          File.rename(path, trash = @store.temporary("trash"))
          (@trash ||= []) << trash
        rescue Errno::EXDEV
          require "fileutils"
          FileUtils.rm_rf(path)
        end
      end

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

      def link(items)
        return if items.empty?

        jobs = items.map { |item| [destination(item), [item.manifest], builds?(item) ? :copy : @context.link_method] }
        results = @context.native.link(jobs)
        items.zip(results) { |item, result| again(item) unless result.ok? || settle(item, result) }
      end

      def settle(item, result)
        raise Interrupted, "interrupted" if result.status == :cancelled
        return false if result.status == :stale

        raise Store::Error.new("#{item.full_name}: #{result.message}",
                               hint: "see that the disk has room and the bundle's folder can be written")
      end

      # The store's object differs from its manifest: heal it from the archive, then link the package once more.
      def again(item)
        damaged = @store.native.verify_manifest(item.manifest)
        @store.heal(item.manifest, damaged) unless damaged.empty?
        item.manifest = @store.package(item.sha256)
        @context.events.emit(:healed, name: item.full_name, files: damaged.size)
        clear(item)
        result = @context.native.link([[destination(item), [item.manifest],
                                        builds?(item) ? :copy : @context.link_method]]).first
        return if result.ok?

        settle(item, result)
        raise Store::Missing.new("#{item.full_name}: its files in the store are damaged and cannot be healed",
                                 hint: "run `spate store verify`, then install again")
      end

      # A cached build lies over the package: its files are relative to the bundle's root.
      def overlay(items)
        built = items.select(&:build)
        return if built.empty?

        built.each { |item| replace_changed(item) }
        results = @context.native.link(built.map { |item| [@layout.root, [item.build], @context.link_method] })
        built.zip(results) { |item, result| settle(item, result) || rebuild(item) unless result.ok? }
      end

      # Files of the package that the build changed or removed make room for the build's own.
      def replace_changed(item)
        prefix = "gems/#{item.full_name}/"
        paths = item.build.paths.select { |path| path.start_with?(prefix) } + Build::Builder.removed(item.build)
        paths.map { |path| "#{@layout.root}/#{path}" }.each do |path|
          File.unlink(path) if File.symlink?(path) || File.file?(path)
        end
      end

      # A damaged build cannot be healed: the gem is built again, from files of its own.
      def rebuild(item)
        item.build = nil
        clear(item)
        link([item])
      end
    end
  end
end
