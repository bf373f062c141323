# frozen_string_literal: true

module Spate
  class Store
    class BundleRecord
      # Determines the packages of gems that are missing in the bundle's record because the bundle was moved or
      # replaced. A tree belongs to a package if one of its files has the same inode as the object, or the same size,
      # mode and mtime. Only the store sets these mtimes in nanoseconds, so gems installed by other tools have no such
      # file.
      class Recovery
        def initialize(store, root)
          @store = store
          @root = root
        end

        # record: BundleRecord or nil. packages: {full name of a gem => SHA-256 of its archive, or nil}, or full names.
        # Returns a record with the trees of these gems, or the given record if none was recognized.
        def call(record, packages)
          names = packages.select { |name,| File.directory?("#{@root}/gems/#{name}") }
          trees = of_packages(names)
          return record if trees.empty?

          of_builds(trees)
          record ? record.with(*trees) : moved_record(trees, moved(trees))
        end

        private

        # Copies the user's choices from the record of the bundle's old location.
        def moved_record(trees, old)
          trees.each { |tree| as_before(tree, old.tree(tree.path)) } if old
          BundleRecord.new(root: @root, trees: trees, **(old ? { notes: old.notes, link_method: old.link_method } : {}))
        end

        def as_before(tree, old)
          tree.private = old&.private?
          tree.copied = old&.copied?
        end

        # The record of the folder from which the bundle was moved.
        def moved(trees)
          paths = trees.map(&:path)
          records.reject(&:exist?).find { |record| (record.trees.map(&:path) & paths).any? }
        end

        def records = @records ||= BundleRecord.all(@store)

        def of_packages(packages)
          pairs = packages.flat_map { |name, sha256| keys(name, sha256).map { |key| [name, key] } }
          found = pairs.zip(differences(pairs.map { |name, key| [@store.package_path(key), "gems/#{name}"] }))
          found.select(&:last).group_by { |(name, _), _| name }.map do |name, several|
            key = several.min_by(&:last).first.last # the keys differ in modes
            BundleRecord::Tree.new(path: "gems/#{name}", packages: [key])
          end
        end

        # The keys of packages from which a gem may have been installed. sha256: from a lockfile, or nil.
        def keys(name, sha256)
          recorded = records.filter_map { |record| record.tree("gems/#{name}") }.flat_map(&:packages)
          sums = Dir.glob("*/#{name}", base: @store.path("names")).filter_map { |path| sum(path) }
          (recorded + [*sums, *sha256].uniq.flat_map { |sum| stored.fetch(sum, []) }).uniq
        end

        # {SHA-256 of an archive => keys of its packages}
        def stored
          @stored ||= Dir.children(@store.path("packages")).sort.group_by { |key| PackageKey.sha256(key) }
        rescue Errno::ENOENT
          {}
        end

        def sum(path)
          File.readlink(@store.path("names", path))[SHA256]
        rescue SystemCallError
          nil
        end

        # Adds the builds whose files are in these gems.
        def of_builds(trees)
          gems = trees.to_h { |tree| [tree.path, tree] }
          found = Dir.children(@store.path("builds")).to_h { |key| [key, gems[built(key)]] }.compact
          placed = differences(found.keys.map { |key| [@store.build_path(key), ""] })
          found.zip(placed).each { |(key, tree), differing| tree.builds += [key] if differing }
        rescue Errno::ENOENT
          nil
        end

        # The gem's path, or nil for a temporary file of the core.
        def built(key) = (BundleRecord.built(@store.build(key)) unless key.include?("."))

        # pairs: [[path of a manifest, folder in the bundle]]. Returns for each pair the number of paths that differ
        # from the store, or nil if all differ.
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
end
