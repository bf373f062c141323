# frozen_string_literal: true

module Spate
  class Store
    # Finds files of a bundle that differ from their packages. Changes nothing.
    #
    # A file edited in place, through its link, may share its inode with the store and other projects. It is unknown in
    # which project the edit was made, so files of other projects are never changed. Each project reports the difference
    # when it finds it; `install` gives the changed file a separate inode, `restore` restores the package's file.
    class Edits
      autoload :BundleFile, "spate/store/edits/bundle_file"
      autoload :SharedInodes, "spate/store/edits/shared_inodes"

      # A file of a bundle that differs from its package.
      #
      # kind:: :changed, :missing, or :type: no longer a file, or no longer a link
      # name, path:: the package's full name, and the path in it
      # file:: its absolute path
      # links:: number of names of the inode; more than one if other bundles, or the store, share it
      # projects:: number of other bundles that share it, and unknown_links: names found in no recorded bundle
      # owner:: user who owns it and could change it at any time; nil for an expected owner
      # mode_only:: whether only the mode differs
      # settled:: action of an install: :parted (given a separate inode), :restored, or nil
      # reason:: why nothing was done
      # entry:: its entry in the manifest
      Edit = Struct.new(:kind, :name, :path, :file, :links, :projects, :unknown_links, :owner, :mode_only, :settled,
                        :reason, :entry, keyword_init: true) do
        def initialize(**facts)
          super(links: 1, projects: 0, unknown_links: 0, mode_only: false, **facts)
        end

        def shared? = links > 1
        # The reported facts.
        def to_h = super.except(:entry)
      end

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

      # `spate edit GEM`: gives a package's tree in one bundle separate inodes, so that any editor may write to the
      # files, and records the tree as private, so that install keeps it and checks ignore it.
      class PrivateCopy
        # files, bytes: copied in this run; edits: [Edit] found in the tree before, which the copy keeps.
        Result = Struct.new(:root, :path, :files, :bytes, :edits, keyword_init: true)

        def initialize(store)
          @store = store
        end

        # tree_path: of one of the record's trees, "gems/rake-13.0.6". Its files may also have links in bundles of a
        # deleted store. Each file is copied to a temporary name and renamed: an interrupted run leaves a tree that is
        # partly private, but correct. Raises ArgumentError without such a tree or its folder, and Full.
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

        # Reported now, since later checks ignore a private tree.
        def edits(record, tree)
          jobs = [[record.destination(tree), tree.manifests(@store)]]
          Edits.new(@store, record, jobs: jobs).call(Native.check_trees(jobs, 1, @store.owner))
        end

        # Every file in the tree's folder that has several links, whether it is in a manifest or not.
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
