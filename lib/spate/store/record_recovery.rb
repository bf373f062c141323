# frozen_string_literal: true

module Spate
  class Store
    # Finds out what a bundle's gems were made from where its record does not say, since the bundle was moved or another
    # took its place. A tree is a package's if one of its files is the object itself, or has its size, mode and time to
    # the nanosecond, which only the store gives it. Gems that other tools installed have no such file.
    class RecordRecovery
      def initialize(store, root)
        @store = store
        @root = root
      end

      # record: BundleRecord or nil; names: full names of gems. A Bundle with their trees, too; the record without any.
      def call(record, names)
        trees = of_packages(names.select { |name| File.directory?("#{@root}/gems/#{name}") })
        return record if trees.empty?

        builds = of_builds(trees)
        trees << BundleRecord::Tree.new(path: "", builds: builds) unless builds.empty?
        record ? record.with(*trees) : moved_record(trees, moved(trees))
      end

      private

      # What the user asked for in the old place stays valid in the new one.
      def moved_record(trees, old)
        trees.each { |tree| tree.private = old.tree(tree.path)&.private? } if old
        BundleRecord.new(root: @root, trees: trees, **(old ? { notes: old.notes, link_method: old.link_method } : {}))
      end

      # The record of the place that the bundle was moved away from.
      def moved(trees)
        paths = trees.map(&:path)
        records.reject(&:exist?).find { |record| (record.trees.map(&:path) & paths).any? }
      end

      def records = @records ||= BundleRecord.all(@store)

      def of_packages(names)
        pairs = names.flat_map { |name| keys(name).map { |key| [name, key] } }
        found = pairs.zip(differences(pairs.map { |name, key| [@store.package_path(key), "gems/#{name}"] }))
        found.select(&:last).group_by { |(name, _), _| name }.map do |name, several|
          key = several.min_by(&:last).first.last # they differ in modes
          BundleRecord::Tree.new(path: "gems/#{name}", packages: [key])
        end
      end

      # Keys of packages that a gem of that full name may be made from.
      def keys(name)
        recorded = records.filter_map { |record| record.tree("gems/#{name}") }.flat_map(&:packages)
        sums = Dir.glob("*/#{name}", base: @store.path("names")).filter_map { |path| sum(path) }
        (recorded + sums.uniq.flat_map { |sha256| @store.package_keys(sha256) }).uniq
      end

      def sum(path)
        File.readlink(@store.path("names", path))[SHA256]
      rescue SystemCallError
        nil
      end

      # Keys of builds that changed files of these gems.
      def of_builds(trees)
        gems = trees.to_h { |tree| [File.basename(tree.path), true] }
        keys = Dir.children(@store.path("builds")).select { |key| gems[built(key)] }
        keys.zip(differences(keys.map { |key| [@store.build_path(key), ""] })).select(&:last).map(&:first)
      rescue Errno::ENOENT
        []
      end

      # The full name of a build's gem.
      def built(key)
        return if key.include?(".") # a temporary file of the core

        @store.build(key)&.paths&.grep(%r{\Agems/})&.first&.then { |path| path.split("/")[1] }
      end

      # pairs: [[a manifest's path, folder below the root]]. For each the number of paths that are not as the store
      # placed them (Integer), nil where none is.
      def differences(pairs)
        manifests = pairs.map { |path, _| @store.open_manifest(path) if File.file?(path) }
        jobs = pairs.zip(manifests).map { |(_, below), manifest| [File.join(@root, below), [manifest].compact] }
        differing = Native.check_trees(jobs, 1).group_by(&:first)
        jobs.each_with_index.map do |(folder, (manifest)), number|
          found = differing.fetch(number, [])
          found.size if manifest && placed?(folder, manifest, found.to_h { |_, _, index,| [index, true] })
        end
      end

      def placed?(folder, manifest, differing)
        manifest.count.times.any? do |index|
          entry = manifest.entry(index)
          entry[:type] == :file &&
            (!differing[index] || Object.of(@store, entry).same?(File.join(folder, entry[:path])))
        end
      end
    end
  end
end
