# frozen_string_literal: true

module Spate
  class Store
    # The content of the store and the projects that use it.
    class Status
      # files: their number; bytes: of their content.
      Tally = Struct.new(:files, :bytes)
      # A project of a recorded bundle. time: of its last install, seconds since the epoch; exists: whether the bundle's
      # folder exists, and the project's if it shares the bundle. sharing: number of projects of the bundle. packages:
      # number of packages of the bundle; javascript: whether they are npm packages.
      Project = Struct.new(:root, :app, :time, :exists, :sharing, :packages, :javascript, keyword_init: true)

      # objects, linked (objects also linked by a bundle), unreferenced (in no manifest), packages (their manifests),
      # builds, archives, compile caches, texts (which only save work), temporaries: Tally each; slots: trees shared by
      # projects, with the bytes that are not in objects. gems, javascript, unused (packages of either kind in no
      # recorded bundle): number of packages, and the bytes of their content, counting a shared file once. oldest,
      # newest: Time of packages, nil if there are none. projects: [Project]. writable: true or false.
      Result = Struct.new(:path, :writable, :objects, :linked, :unreferenced, :packages, :gems, :javascript, :unused,
                          :builds, :slots, :archives, :compile_caches, :texts, :temporaries, :oldest, :newest,
                          :projects, keyword_init: true) do
        # Bytes of everything that uses disk space.
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
          texts: "{specs,bundles,variants,#{Prune::MEMORIES.join(",")}}/**/*", temporaries: "tmp/**/*" }
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
