# frozen_string_literal: true

module Spate
  module CompileCache
    class Compiler
      # A source file as it was read, for an entry of a compile cache.
      #
      # path:: absolute
      # stat:: from Native.stat
      # clock:: nanoseconds since the epoch, before the content was read
      # content:: its hash, 32 hex digits
      SourceFile = Struct.new(:path, :stat, :clock, :content) do
        # nil if there is no such file. If it changed just before, waits until its times would reveal another change.
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

        # Compares the content, too, because the times of some file systems are worthless.
        def unchanged? = Native.stat(path) == stat && Native.content_hash(path) == content

        # In the format of Native::CompileCache.write.
        def state(flags) = [*stat[0, 3], content, clock, stat[4], flags]
      end

      # A compile cache to build.
      #
      # path:: of the compile cache
      # key:: of the Ruby, 32 hex digits
      # files:: paths, in the compile cache's order
      # data:: name to bytes
      # sources:: paths of compile caches from which blobs of unchanged files are copied
      # weight:: approximate bytes of source; the largest job goes first
      # required:: whether the cache is written even without files
      Job = Struct.new(:path, :key, :files, :data, :sources, :weight, :required, keyword_init: true) do
        def initialize(data: {}, sources: [], weight: 0, required: false, **) = super
      end

      # The outcome of a job. compiled, copied, warned (files that make Ruby warn), failed (files that Ruby cannot
      # compile): counts; bytes: size of the compile cache; error: [class name, message] or nil.
      Result = Struct.new(:path, :compiled, :copied, :warned, :failed, :bytes, :error, keyword_init: true) do
        def initialize(compiled: 0, copied: 0, warned: 0, failed: 0, bytes: 0, error: nil, **) = super

        def ok? = error.nil?
        # Whether the disk is full or this user may not write, so that the next compile cache would fail, too.
        def full? = !ok? && error.first.match?(/ENOSPC|EDQUOT|EROFS|EACCES/)
      end
    end
  end
end
