# frozen_string_literal: true

module Spate
  class Store
    # Determines the contents of the store and the projects that use it.
    class Status
      # files: number of files. bytes: size of their contents.
      Tally = Struct.new(:files, :bytes)
      # A project of a recorded bundle. time: Unix time of its last install. exists: whether the bundle's folder exists
      # and, for a shared bundle, the project's folder. sharing: number of projects that use the bundle. packages:
      # number of packages in the bundle. javascript: whether they are npm packages.
      Project = Struct.new(:root, :app, :time, :exists, :sharing, :packages, :javascript, keyword_init: true)

      # A Tally each: objects, linked (objects that bundles also link), unreferenced (objects in no manifest), packages
      # (manifests), builds, archives, compile_caches, texts (cached data), temporaries, slots (trees shared by
      # projects, excluding objects). gems, javascript, unused (packages in no recorded bundle): number of packages and
      # size of their files, counting shared files once. oldest, newest: Time of packages, or nil. projects: [Project].
      Result = Struct.new(:path, :writable, :objects, :linked, :unreferenced, :packages, :gems, :javascript, :unused,
                          :builds, :slots, :archives, :compile_caches, :texts, :temporaries, :oldest, :newest,
                          :projects, keyword_init: true) do
        # The total size of the store in bytes.
        def bytes = [objects, packages, builds, slots, archives, compile_caches, texts, temporaries].sum(&:bytes)

        def to_h
          super.transform_values { |value| plain(value) }.merge(bytes: bytes)
        end

        private

        def plain(value)
          case value
          when Tally then value.to_h
          when Time then value.to_i
          when Array then value.map(&:to_h)
          else value
          end
        end
      end

      def initialize(store)
        @store = store
        @usage = Usage.new(store)
      end

      def call
        result = Result.new(path: @store.root, writable: @store.writable?, projects: projects)
        objects(result)
        packages(result)
        result.slots = slots
        { builds: "builds/*", archives: "archives/*.gem", compile_caches: "compile-cache/**/*",
          texts: "{specs,bundles,variants,#{Prune::CACHED.join(",")}}/**/*", temporaries: "tmp/**/*" }
          .each { |name, glob| result[name] = tally(glob) }
        result
      end

      private

      def objects(result)
        named = File.directory?(@store.path("packages")) ? @usage.objects : {}
        all, linked, unreferenced = Array.new(3) { Tally.new(0, 0) }
        each_file("objects/*/*") do |path, stat|
          add(all, stat)
          add(linked, stat) if stat.nlink > 1
          add(unreferenced, stat) unless named[File.basename(path)]
        end
        result.objects = all
        result.linked = linked
        result.unreferenced = unreferenced
      end

      def packages(result)
        result.packages = tally("packages/*")
        times = []
        found = { gems: {}, javascript: {}, unused: {} }.each_key { |name| result[name] = Tally.new(0, 0) }
        each_file("packages/*") do |path, stat|
          times << stat.mtime
          of = kinds(File.basename(path))
          of.each { |name| result[name].files += 1 }
          contents(path) { |object, size| of.each { |name| found[name][object] = size } }
        end
        found.each { |name, objects| result[name].bytes = objects.each_value.sum }
        result.oldest, result.newest = times.minmax
      end

      def slots
        tally = Tally.new(Dir.glob("links/*/*/*/*/*", base: @store.root).size, 0)
        each_file("links/**/*") { |_, stat| tally.bytes += stat.size if stat.nlink == 1 }
        tally
      end

      def kinds(key)
        half = PackageKey::NPM.match?(key) ? :javascript : :gems
        @usage.package?(key) ? [half] : [half, :unused]
      end

      def contents(path)
        manifest = @store.open_manifest(path) or return
        Object.entries(manifest).each { |entry| yield Object.name(entry), entry[:size] }
      end

      def projects
        @usage.records.flat_map do |record|
          found = record.projects
          facts = { root: record.root, sharing: found.size, packages: record.packages.size,
                    javascript: File.basename(record.root) == "node_modules" }
          found.map { |one| Project.new(**facts, app: one.app, time: one.time, exists: exist?(record, one)) }
        end
      end

      def exist?(record, project) = record.exist? && (record.others.empty? || File.directory?(project.app))

      def tally(glob)
        tally = Tally.new(0, 0)
        each_file(glob) { |_, stat| add(tally, stat) }
        tally
      end

      def add(tally, stat)
        tally.files += 1
        tally.bytes += stat.size
      end

      def each_file(glob)
        Dir.glob(glob, File::FNM_DOTMATCH, base: @store.root).each do |inside|
          path = @store.path(inside)
          stat = File.lstat(path)
          yield path, stat if stat.file?
        rescue Errno::ENOENT
          nil # removed in the meantime
        end
      end
    end
  end
end
