# frozen_string_literal: true

module Spate
  class Store
    # Removes entries that no project uses. Entries of an existing bundle are never removed. A bundle whose folder is
    # missing is treated as deleted only if its last install is older than the given age, since its disk may be
    # unmounted. Removes unused packages and builds that are older than the given age, then objects in no manifest and
    # data of removed packages.
    #
    # The exclusive "store" lock blocks installs. Manifests are removed before their objects, so an interrupted run
    # leaves a correct store.
    class Prune
      DAY = 24 * 60 * 60
      DEFAULT_AGE = 30 * DAY
      # Folders with cached data. A file in them is removed if it was neither read nor written for the given age.
      CACHED = %w[checks inputs toolchains durations logs js js-ages js-images js-plans origins scripts team sent
                  in-place].freeze
      # Records of the inputs of builds: see Build::Cache::Variants.
      VARIANTS = "variants"
      # Cached responses of sources, next to the store. There is a folder for each domain (see Registry::Trust), and so
      # for each token that was ever used.
      INDEX = "../../index"
      UNITS = { "s" => 1, "m" => 60, "h" => 3600, "d" => DAY, "w" => 7 * DAY }.freeze

      # Numbers of removed entries, or in a dry run of entries to remove. bytes: freed space, excluding inodes with
      # other links. linked: number of removed objects with links outside of the store.
      Result = Struct.new(:dry_run, :projects, :packages, :builds, :slots, :archives, :names, :texts, :compile_caches,
                          :objects, :linked, :temporaries, :bytes, keyword_init: true)

      # "30d", "12h", "2w", "90m", "0" -> seconds. Raises UsageError.
      def self.duration(text)
        number, unit = text.match(/\A(\d+)([smhdw]?)\z/)&.captures
        return number.to_i * UNITS.fetch(unit.empty? ? "d" : unit) if number

        raise UsageError.new("not a duration: #{text.inspect}", hint: "a number and s, m, h, d or w, such as 30d")
      end

      # older_than: seconds. compile_caches: called with the store's folder, the time and the age; returns the paths of
      # unused compile caches.
      def initialize(store, older_than: DEFAULT_AGE, dry_run: false, events: nil, now: Time.now, compile_caches: nil)
        @store = store
        @age = older_than
        @dry_run = dry_run
        @events = events
        @now = now
        @compile_caches = compile_caches
        @result = Result.new(dry_run: dry_run, bytes: 0, linked: 0)
      end

      # Waits for running installs. With wait: false, raises Locked instead. Raises ReadOnly.
      def call(wait: true)
        raise ReadOnly.at(@store.root) unless @dry_run || @store.writable?

        @store.lock("store", shared: @dry_run, wait: wait) { prune }
        @result
      end

      private

      def prune
        usage = Usage.new(@store, dead: dead = BundleRecord.all(@store).select { |record| dead?(record) })
        packages = old("packages") { |key| !usage.package?(key) }
        builds = old("builds") { |key| !usage.build?(key) }
        @result.packages = remove(packages)
        @result.builds = remove(builds)
        @result.slots = slots(usage)
        remains(usage.kept("packages") - keys(packages))
        @result.texts += remove(variants(keys(builds)))
        @result.objects = remove(objects(packages + builds)) { |stat| @result.linked += 1 if stat.nlink > 1 }
        @result.compile_caches = remove(compile_caches)
        @result.temporaries = temporaries
        @result.projects = forget(dead)
      end

      def dead?(record) = !record.exist? && @now.to_i - record.time >= @age

      # Removes unused shared trees and folders that become empty. Does not remove objects.
      def slots(usage)
        gone = old("links/*/*/*/*") { |_, path| !usage.slot?(path.delete_prefix("#{@store.path("links")}/")) }
        remove(gone).tap { remove_empty(gone.map { |path| File.dirname(path) }) }
      end

      def remove_empty(folders)
        return if @dry_run

        folders.uniq.each do |folder|
          folder = File.dirname(folder) while folder != @store.path("links") && Dir.rmdir(folder)
        rescue SystemCallError
          nil # the folder is not empty
        end
      end

      # Removes archives, checksums and generated files of removed packages. kept: keys of the remaining packages.
      def remains(kept)
        kept = kept.filter_map { |key| PackageKey.sha256(key) }.to_h { |key| [key, true] }
        @result.archives = remove(old("archives") { |name| !kept[name.delete_suffix(".gem")] })
        @result.names = remove(old("names/*") { |_, path| !kept[File.readlink(path)] })
        texts = old("specs/*") { |name| !kept[name] } + CACHED.flat_map { |folder| old(folder, read: true) { true } }
        texts += old(INDEX, read: true) { |_, path| !used_inside?(path) }
        @result.texts = remove(texts)
      end

      # The paths of records of removed builds, and of files left by killed processes.
      def variants(gone)
        gone = gone.to_h { |key| [key, true] }
        Dir.glob("*/*", base: @store.path(VARIANTS)).sort.filter_map do |inside|
          key, id = inside.split("/")
          build = "#{key}-#{id[/\A[\h-]+/]}"
          path = @store.path(VARIANTS, inside)
          path if gone[build] || !File.exist?(@store.build_path(build)) || (id.end_with?(".tmp") && stale?(path))
        end
      end

      def stale?(path)
        @now - File.lstat(path).mtime > DAY
      rescue Errno::ENOENT
        false
      end

      # The paths of compile caches of missing applications, of gems that no application's compile cache uses, and of
      # those above their size limits. Also includes old files that are not compile caches of this version.
      def compile_caches
        unknown = old("compile-cache", read: true) { |name, path| !name.match?(/\A\h{32}\z/) && !used_inside?(path) }
        unknown + @compile_caches&.call(@store.root, @now, @age).to_a
      end

      def used_inside?(folder)
        Dir.glob("#{folder}/**/*").any? { |path| File.file?(path) && @now - used(path, true) < @age }
      end

      def objects(gone)
        usage = Usage.new(@store)
        names = usage.objects(except: gone)
        Dir.glob("*/*", base: @store.path("objects")).sort.reject { |name| names[File.basename(name)] }
           .map { |name| @store.path("objects", name) }
      end

      # Paths in folders (a glob) that the block selects and that were not written for the given age or, with `read`,
      # neither written nor read. Most file systems update the atime at most once a day. It is not used for manifests,
      # since `status` and `verify` read all of them.
      def old(folder, read: false)
        Dir.glob("#{folder}/*", base: @store.root).sort.filter_map do |inside|
          path = @store.path(inside)
          path if yield(File.basename(inside), path) && @now - used(path, read) >= @age
        rescue Errno::ENOENT, Errno::EINVAL
          nil
        end
      end

      def used(path, read)
        stat = File.lstat(path)
        [stat.mtime, stat.ctime, read ? stat.atime : stat.mtime].max
      end

      def keys(paths) = paths.map { |path| File.basename(path) }

      # Removes paths and returns their number. Yields the File::Stat of each.
      def remove(paths)
        paths.count do |path|
          stat = File.lstat(path)
          yield stat if block_given?
          @result.bytes += stat.size if stat.nlink == 1
          Sweep.remove(path) unless @dry_run
          true
        rescue Errno::ENOENT
          false
        end
      end

      def temporaries
        sweep = Sweep.new(@store, now: @now)
        @dry_run ? sweep.stale.size : sweep.call
      end

      def forget(dead)
        dead.each { |record| record.forget(@store) } unless @dry_run
        dead.size
      end
    end
  end
end
