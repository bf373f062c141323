# frozen_string_literal: true

module Spate
  module CompileCache
    class Compiler
      # The facts about a source file when it was read, for an entry of a compile cache.
      #
      # path:: absolute
      # stat:: from Native.stat
      # clock:: nanoseconds since the epoch, before the content was read
      # content:: its hash, 32 hex digits
      SourceFile = Struct.new(:path, :stat, :clock, :content) do
        # Returns nil if the file does not exist. If the file has just changed, waits until another change would result
        # in a different time.
        def self.of(path)
          stat = Native.stat(path) or return
          if (now - stat[2]).between?(-Native::RACY_NS, Native::RACY_NS)
            sleep 2.0 * Native::RACY_NS / 1_000_000_000
            stat = Native.stat(path) or return
          end
          clock = now
          content = Native.content_hash(path)
          new(path, stat, clock, content) if content
        end

        def self.now = Process.clock_gettime(Native::FILE_CLOCK, :nanosecond)

        # Also compares the content, because some file systems have no reliable times.
        def unchanged? = Native.stat(path) == stat && Native.content_hash(path) == content

        # The state in the format of Native::CompileCache.write.
        def state(flags) = [*stat[0, 3], content, clock, stat[4], flags]
      end

      # A compile cache to build.
      #
      # path:: path of the compile cache
      # key:: key of the Ruby, 32 hex digits
      # files:: paths, in the compile cache's order
      # data:: name to bytes
      # sources:: paths of compile caches from which blobs of unchanged files are copied
      # weight:: approximate bytes of source; the largest job is run first
      # required:: whether the cache is written even without files
      Job = Struct.new(:path, :key, :files, :data, :sources, :weight, :required, keyword_init: true) do
        def initialize(data: {}, sources: [], weight: 0, required: false, **) = super
      end

      # The outcome of a job. compiled, copied, warned (files that make Ruby warn), failed (files that Ruby cannot
      # compile): counts; bytes: size of the compile cache; error: [class name, message] or nil.
      Result = Struct.new(:path, :compiled, :copied, :warned, :failed, :bytes, :error, keyword_init: true) do
        def initialize(compiled: 0, copied: 0, warned: 0, failed: 0, bytes: 0, error: nil, **) = super

        def ok? = error.nil?
        # Whether writing the next compile cache would fail too, because the disk is full or read-only or permission is
        # denied.
        def full? = !ok? && error.first.match?(/ENOSPC|EDQUOT|EROFS|EACCES/)
      end
    end
  end
end
