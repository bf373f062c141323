# frozen_string_literal: true

module Spate
  class Store
    # Files of a bundle that differ from their packages, found and not touched.
    #
    # A file that was written in place, through its link, is an inode that the store and other projects may have too.
    # Nobody can say where it was written, and nobody has to: a file of another project is never changed. Each project
    # reports the difference where it meets it; `install` gives the file an inode of its own as it is, `restore` brings
    # back the package's.
    class Edits
      autoload :Edit, "spate/store/edits/edit"
      autoload :BundleFile, "spate/store/edits/bundle_file"
      autoload :PrivateCopy, "spate/store/edits/private_copy"
      autoload :SharedInodes, "spate/store/edits/shared_inodes"

      # Paths of manifests, some of whose objects were written through a link, or touched.
      attr_reader :stale

      # record: a BundleRecord; jobs: its trees, as for Native.check_trees.
      def initialize(store, record, jobs: record.jobs(store))
        @store = store
        @record = record
        @jobs = jobs
        @stale = []
      end

      # differences: what Native.check_trees answered for the jobs. [Edit], empty where only times differ.
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

      # Whether nothing of a build is as this store placed it: another store installed this bundle since, or Bundler
      # built the gem again. Builds of one source differ, so its content says nothing of edits.
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

      # All that were made of the same archive may name the object.
      def mark(manifest)
        @stale |= @store.package_keys(manifest.sha256).map { |key| @store.package_path(key) }
      end

      # The user who owns an inode that the bundle shares, where that is neither the store's owner nor root.
      def foreign(file)
        stat = Object.lstat(file)
        stat.uid if stat && stat.nlink > 1 && @store.owner && ![@store.owner, 0].include?(stat.uid)
      end

      # A build lies over its package in the same tree, as a job of its own that checks the same file.
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
