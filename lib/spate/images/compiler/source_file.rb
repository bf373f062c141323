# frozen_string_literal: true

module Spate
  module Images
    class Compiler
      # A source file at the time it was read, for an image's entry.
      #
      # path:: absolute
      # stat:: from Native.stat
      # clock:: nanoseconds since the epoch, before the content was read
      # content:: its hash, 32 hex digits
      SourceFile = Struct.new(:path, :stat, :clock, :content) do
        # nil if there is no such file. If it changed a moment ago, waits until another change would show in its times.
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

        # Not judged by its times alone: those of some file systems are worthless.
        def unchanged? = Native.stat(path) == stat && Native.content_hash(path) == content

        # As Native::Image.write takes it.
        def state(flags) = [*stat[0, 3], content, clock, stat[4], flags]
      end
    end
  end
end
