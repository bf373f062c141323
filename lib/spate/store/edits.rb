# frozen_string_literal: true

module Spate
  class Store
    # Finds files of a bundle that differ from their packages. Changes nothing.
    #
    # A file edited in place, through its link, may share its inode with the store and other projects. It is unknown in
    # which project the edit was made, so files of other projects are never changed. Each project reports the difference
    # when it finds it; `install` gives the changed file a separate inode, `restore` restores the package's file.
    class Edits
      autoload :Edit, "spate/store/edits/edit"
      autoload :BundleFile, "spate/store/edits/bundle_file"
      autoload :PrivateCopy, "spate/store/edits/private_copy"
      autoload :SharedInodes, "spate/store/edits/shared_inodes"

      # Paths of manifests with objects that were changed through a link, or touched.
      attr_reader :stale

      # record: a BundleRecord; jobs: its trees, as for Native.check_trees.
      def initialize(store, record, jobs: record.jobs(store))
        @store = store
        @record = record
        @jobs = jobs
        @stale = []
      end

      # differences: the result of Native.check_trees for the jobs. Returns [Edit], empty if only times differ.
      def call(differences)
        found = differences.group_by { |job, manifest,| [job, manifest] }.flat_map do |(job, number), group|
          destination, manifests = @jobs[job]
          entries = group.map { |_, _, index, kind| [manifests[number].entry(index), kind] }
          next [] if destination == @record.root && built_elsewhere?(manifests[number], entries.map(&:first))

          entries.filter_map { |entry, kind| look(destination, manifests[number], entry, kind) }
        end
        found.tap { SharedInodes.new(@store, @record).count(found.select(&:shared?)) }
      end

      private

      # Whether all files of a build differ from this store, because another store has installed this bundle since or
      # Bundler rebuilt the gem. Builds of the same source differ, so this does not indicate edits.
      def built_elsewhere?(build, differing)
        paths = differing.to_h { |entry| [entry[:path], true] }
        files = Object.entries(build)
        files.all? { |entry| paths[entry[:path]] } &&
          files.any? { |entry| File.exist?(File.join(@record.root, entry[:path])) }
      end

      def look(destination, manifest, entry, kind)
        file = File.join(destination, entry[:path])
        return edit(file, entry, kind) unless kind == :changed && entry[:type] == :file

        object = Object.of(@store, entry)
        mark(manifest) if object.same?(file)
        edit(file, entry, :changed, object) if foreign(file) || !(object.right?(file) || built?(file))
      end

      # Marks every package made from this archive as stale: each may contain the object.
      def mark(manifest)
        @stale |= @store.package_keys(manifest.sha256).map { |key| @store.package_path(key) }
      end

      # The owner of a shared inode, if that is neither the store's owner nor root.
      def foreign(file)
        stat = Object.lstat(file)
        stat.uid if stat && stat.nlink > 1 && @store.owner && ![@store.owner, 0].include?(stat.uid)
      end

      # Whether the file belongs to a build. Such a file may replace the package's in the same tree, and is checked by a
      # separate job.
      def built?(file)
        @jobs.any? do |destination, manifests|
          file.start_with?("#{destination}/") && manifests.any? do |manifest|
            index = manifest.index(file.delete_prefix("#{destination}/"))
            index && Object.matches?(@store, manifest.entry(index), file)
          end
        end
      end

      def edit(file, entry, kind, object = nil)
        place = BundleFile.at(@record.root, file)
        Edit.new(kind: kind, name: place.package, path: place.path, file: file, entry: entry,
                 links: object ? File.lstat(file).nlink : 1,
                 owner: object && foreign(file), mode_only: object ? object.content?(file) : false)
      end
    end
  end
end
