# frozen_string_literal: true

module Spate
  module CompileCache
    # Removes all compile caches, or the compile caches of one application and of gems that no other application uses.
    # Processes that have mapped the files are not affected.
    class Clear
      # Seconds to wait for a running builder.
      SECONDS = 10

      # files: number of removed files; bytes: their size; busy: whether nothing was removed because a builder was
      # running.
      Result = Struct.new(:files, :bytes, :busy)

      def initialize(caches)
        @caches = caches
      end

      # location: responds to root and gemfile.
      def application(location)
        result = Result.new(0, 0, false)
        lock = @caches.lock_path(location)
        return result unless File.directory?(File.dirname(lock))

        held = Lock.hold(lock, seconds: SECONDS) { remove(result, paths(location)) }
        result.busy = !held
        result
      end

      # Removes the compile caches of all applications and Rubies, and of Spate itself.
      def all
        folder = "#{@caches.store_root}/compile-cache"
        files = Dir.glob("#{folder}/**/*", File::FNM_DOTMATCH).select { |path| File.lstat(path).file? }
        Result.new(0, 0, false).tap { |result| remove(result, files) }
      end

      private

      def paths(location)
        cache = @caches.application_path(location)
        key = File.basename(cache, ".compiled")
        own = Dir.glob("#{@caches.folder}/{boots,apps}/#{key}.*").reject { |path| path.end_with?(".lock") }
        own + (gem_caches(cache) - others(cache).flat_map { |path| gem_caches(path) })
      end

      def others(cache) = Dir.glob("#{@caches.folder}/boots/*.compiled") - [cache]
      def gem_caches(path) = CacheFile.new(path, @caches.ruby_key).gem_caches.values

      def remove(result, paths)
        paths.each do |path|
          bytes = File.lstat(path).size
          File.unlink(path)
          result.files += 1
          result.bytes += bytes
        rescue Errno::ENOENT
          next
        end
      end
    end
  end
end
