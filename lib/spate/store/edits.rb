# frozen_string_literal: true

module Spate
  class Store
    # Finds files of a bundle that differ from their packages. Changes nothing.
    #
    # A file edited in place may share its inode with the store and other projects. It is unknown in which project the
    # edit was made, so files of other projects are never changed. Each project reports the difference when it finds it.
    # `install` gives the changed file a separate inode, and `restore` restores the package's file.
    class Edits
      autoload :BundleFile, "spate/store/edits/bundle_file"
      autoload :SharedInodes, "spate/store/edits/shared_inodes"

      # A file of a bundle that differs from its package.
      #
      # kind:: :changed, :missing, or :type if its type differs (file or link)
      # name, path:: the package's full name, and the path in the package
      # file:: the absolute path
      # links:: number of hard links; more than one if other bundles or the store share the inode
      # projects:: number of other bundles that share the inode; unknown_links: number of links in no recorded bundle
      # owner:: id of an unexpected owner, who could change the file at any time; otherwise nil
      # mode_only:: whether only the mode differs
      # settled:: what an install did: :parted (gave it a separate inode), :restored, or nil
      # reason:: the reason why nothing was done
      # entry:: the manifest entry
      Edit = Struct.new(:kind, :name, :path, :file, :links, :projects, :unknown_links, :owner, :mode_only, :settled,
                        :reason, :entry, keyword_init: true) do
        def initialize(**facts)
          super(links: 1, projects: 0, unknown_links: 0, mode_only: false, **facts)
        end

        def shared? = links > 1
        # The values to report.
        def to_h = super.except(:entry)
      end

      # Paths of manifests whose objects were changed or touched through a link.
      attr_reader :stale

      # record: BundleRecord. jobs: see BundleRecord#jobs.
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

      # Whether all files of a build differ from this store, since another store has installed the bundle or Bundler has
      # rebuilt the gem. Two builds of the same source differ, so this is not an edit.
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
        edit(file, entry, :changed, object) if foreign(file) || !(object.matches_file?(file) || built?(file))
      end

      # Marks all packages from this archive as stale, since each may contain the object.
      def mark(manifest)
        @stale |= @store.package_keys(manifest.sha256).map { |key| @store.package_path(key) }
      end

      # The owner of a shared inode if it is neither the store's owner nor root.
      def foreign(file)
        stat = Object.lstat(file)
        stat.uid if stat && stat.nlink > 1 && @store.owner && ![@store.owner, 0].include?(stat.uid)
      end

      # Whether the file belongs to a build. It may have replaced a package's file in the same tree, and is checked by
      # another job.
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

      # Implements `spate edit GEM`: gives a package's tree in one bundle separate inodes, so that an editor may write
      # to the files. Records the tree as private, so that installs preserve it and checks ignore it.
      class PrivateCopy
        # files, bytes: what was copied in this run. edits: [Edit] that were in the tree before, which the copy
        # preserves.
        Result = Struct.new(:root, :path, :files, :bytes, :edits, keyword_init: true)

        def initialize(store)
          @store = store
        end

        # tree_path: the path of a tree in the record, "gems/rake-13.0.6". Each file is copied to a temporary path and
        # renamed, so an interrupted run leaves a tree that is only partly private, but correct. Raises ArgumentError if
        # the tree or its folder does not exist, or Full.
        def call(record, tree_path)
          tree = record.tree(tree_path)
          unless tree && File.directory?(record.destination(tree))
            raise ArgumentError, "no tree #{tree_path} in #{record.root}"
          end

          edits = edits(record, tree)
          copied = shared_files(record, tree).map { |one| @store.guard(one.file) { one.detach } }
          record.mark(tree_path, private: true).save(@store)
          Result.new(root: record.root, path: tree_path, files: copied.size, bytes: copied.sum, edits: edits)
        end

        private

        # Existing edits, which are reported now, since later checks ignore a private tree.
        def edits(record, tree)
          jobs = [[record.destination(tree), tree.manifests(@store)]]
          Edits.new(@store, record, jobs: jobs).call(Native.check_trees(jobs, 1, @store.owner))
        end

        # All files in the tree's folder with several hard links, including files in no manifest.
        def shared_files(record, tree)
          root = record.destination(tree)
          Dir.glob("**/*", File::FNM_DOTMATCH, base: root).filter_map do |path|
            stat = File.lstat(File.join(root, path))
            BundleFile.new(root: record.root, inside: File.join(tree.path, path)) if stat.file? && stat.nlink > 1
          end
        end
      end
    end
  end
end
