# frozen_string_literal: true

module Spate
  module CompileCache
    # Limits the age and size of compile caches. Removes caches of deleted applications, caches of gems that no
    # application's cache refers to, and caches that have not been used for a long time. If the rest is larger than the
    # limit, also removes the least recently used caches. Removing a file that a process has mapped is safe.
    class Prune
      # The compile caches of one Ruby, grouped in sets that are kept or removed together. A set is an application's
      # compile cache with the files beside it, or a gem's compile cache. The last use of a gem's cache is the last use
      # of an application's cache that refers to it.
      class Inventory
        NAME = /\A(\h{32})\.(?:(?:yaml\.)?compiled|recording|lock|log|heap|bootlog|attempts)\z/
        GONE = Time.at(0)

        # paths: its files; used: Time of the last use; alive: whether the application or gem still exists.
        Entry = Struct.new(:paths, :used, :alive, :bytes) do
          def alive? = alive
        end

        # folder: the folder of one Ruby, whose name is the Ruby's key.
        def initialize(folder)
          @folder = folder
          @key = File.basename(folder)
        end

        # [Entry]
        def sets = @sets ||= applications + gems

        # Temporary files, and lists of loaded files that no builder has merged.
        def leftovers
          [@folder, *%w[gems boots apps].map { |name| "#{@folder}/#{name}" }].flat_map do |folder|
            files(folder).reject { |path| NAME.match?(File.basename(path)) || path.end_with?("/.lock") }
          end
        end

        private

        def applications
          grouped = (whole("boots") + whole("apps")).group_by { |path| File.basename(path)[NAME, 1] }
          @named = Hash.new(GONE)
          grouped.map { |key, paths| application("#{@folder}/boots/#{key}.compiled", paths) }
        end

        def application(path, paths)
          cache = CacheFile.new(path, @key)
          used = paths.map { |file| time(file) }.max
          alive = present?(cache.about)
          cache.gem_caches.each_value { |gem| @named[gem] = [@named[gem], used].max } if alive
          Entry.new(paths, used, alive, bytes(paths))
        end

        # Whether the application still exists. Returns false without a compile cache, because the path is unknown then.
        def present?(about)
          place = about["gemfile"] || about["root"]
          place ? File.exist?(place) : false
        end

        def gems
          applications unless @named
          whole("gems").map do |path|
            named = @named.key?(path)
            Entry.new([path], [@named[path], time(path)].max, named, bytes([path]))
          end
        end

        def whole(name) = files("#{@folder}/#{name}").select { |path| NAME.match?(File.basename(path)) }

        def files(folder)
          Dir.children(folder).sort.map { |name| "#{folder}/#{name}" }.select { |path| File.lstat(path).file? }
        rescue SystemCallError
          []
        end

        def bytes(paths) = paths.sum { |path| File.lstat(path).size }

        def time(path)
          File.lstat(path).mtime
        rescue Errno::ENOENT
          GONE
        end
      end

      HOUR = 60 * 60
      DAY = 24 * HOUR
      # The maximum time since the last use of a compile cache (seconds, see Boot::CompileCacheFolder.touch).
      AGE = 60 * DAY
      # The same for a missing application, whose disk may only be unmounted.
      GONE = 7 * DAY
      BYTES = 2 << 30

      # store_root: Store#root.
      def initialize(store_root, now: Time.now, age: AGE, gone: GONE, bytes: BYTES)
        @folder = "#{store_root}/compile-cache"
        @now = now
        @age = age
        @gone = gone
        @bytes = bytes
      end

      # Removes compile caches and returns their paths.
      def call
        removable.each { |path| remove(path) }.tap { folders }
      end

      # Calls `call` at most once a day.
      def daily
        stamp = "#{@folder}/.tidied"
        return [] if File.exist?(stamp) && @now - File.mtime(stamp) < DAY

        File.write(stamp, "", perm: 0o600)
        File.utime(@now, @now, stamp)
        call
      rescue SystemCallError
        []
      end

      # Paths to remove.
      def removable
        inventories = rubies.map { |folder| Inventory.new(folder) }
        leftovers = inventories.flat_map { |inventory| old(inventory.leftovers, HOUR) }
        sets = inventories.flat_map(&:sets)
        gone, kept = sets.partition { |set| gone?(set) }
        (leftovers + gone.flat_map(&:paths) + over_limit(kept).flat_map(&:paths)).uniq
      end

      private

      def gone?(set) = @now - set.used >= (set.alive? ? @age : @gone)

      # The least recently used sets, which must be removed so that the rest is within the size limit.
      def over_limit(sets)
        bytes = sets.sum(&:bytes)
        sets.sort_by(&:used).take_while do |set|
          (bytes > @bytes).tap { bytes -= set.bytes }
        end
      end

      def rubies
        Dir.children(@folder).grep(/\A\h{32}\z/).sort.map { |name| "#{@folder}/#{name}" }
      rescue SystemCallError
        []
      end

      def old(paths, age)
        paths.select do |path|
          @now - File.lstat(path).mtime >= age
        rescue Errno::ENOENT
          false
        end
      end

      def remove(path)
        File.unlink(path)
      rescue SystemCallError
        nil
      end

      # Removes the folders of Rubies that do not contain compile caches any more.
      def folders
        rubies.each do |folder|
          next unless Dir.glob("#{folder}/*/*").empty?

          [*Dir.glob("#{folder}/*/.lock"), *Dir.glob("#{folder}/*"), folder].each do |path|
            File.directory?(path) ? Dir.rmdir(path) : File.unlink(path)
          end
        rescue SystemCallError
          next
        end
      end
    end
  end
end
