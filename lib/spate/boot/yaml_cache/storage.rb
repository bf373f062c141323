# frozen_string_literal: true

module Spate
  module Boot
    module YamlCache
      # The compile cache of one application's YAML files. Reads single entries. Adding entries rewrites the file.
      class Storage
        # Larger files are not cached, since they are not configuration (bytes).
        LARGEST = 8 << 20
        # Files with a YAML tag are not cached, because the program determines the tag's value, which may change.
        TAG = /(?:\A|[\s\[{,:-])!/n

        def initialize(session)
          @session = session
          @process = Process.pid
          @new = {} # key => [path, stat6, blob]
          @mutex = Mutex.new
        end

        # Returns [true, object] if the file is unchanged, otherwise [false, nil].
        def read(key, options)
          blob = @new.key?(key) ? nil : valid_blob(key)
          return [false, nil] unless blob

          Log.event(:hit, path_of(key))
          [true, Marshal.load(blob, freeze: options[:freeze] == true)]
        rescue StandardError
          [false, nil]
        end

        # Called before the file is read. Returns [clock, stat, content hash] for `keep`, or nil.
        def stat(key)
          return if @session.readonly?

          path = path_of(key)
          return if File.size(path) > LARGEST || File.binread(path).match?(TAG)

          [Process.clock_gettime(Native::FILE_CLOCK, :nanosecond), Native.stat(path), Native.content_hash(path)]
        rescue StandardError
          nil
        end

        # Adds the object to the new entries, unless the file changed while it was read.
        def keep(key, before, object)
          return unless before && before[1] && before[1][0] <= LARGEST && PlainData.plain?(object)

          clock, (size, mtime, ctime, _, inode), hash = before
          return unless Native.content_hash(path_of(key)) == hash

          @mutex.synchronize { @new[key] = [key, [size, mtime, ctime, hash, clock, inode], Marshal.dump(object)] }
        rescue StandardError
          nil
        end

        # Never raises. After a failure, Psych loads the files next time.
        def write
          return if @new.empty? || @session.readonly? || @process != Process.pid

          @mutex.synchronize do
            @session.caches.make
            Native::CompileCache.write(path, key: RubyKey.current, files: entries)
            @new.clear
            @cache = nil
          end
        rescue StandardError => e
          Log.line(:not_kept, path, e.message)
        end

        private

        def path = @session.caches.yaml_path(@session.application)

        def cache
          @cache ||= Native::CompileCache.open(path, key: RubyKey.current)
        rescue Native::CompileCache::Unusable => e
          @session.warn_once(e.message) unless e.reason == :missing
          @cache = false
        end

        def path_of(key) = key.split(":", 2).last

        # The stored entries whose file still exists, followed by the new ones.
        def entries
          old = cache ? cache.paths - @new.keys : []
          old = old.select { |key| File.exist?(path_of(key)) }.filter_map do |key|
            blob = cache.blob(key)
            [key, cache.state(key), blob] if blob
          end
          old + @new.values
        end

        def valid_blob(key)
          state = (cache || nil)&.state(key) or return
          cache.blob(key) unless Native.judge(path_of(key), state).first == :stale
        end
      end
    end
  end
end
