# frozen_string_literal: true

module Spate
  module Boot
    module Background
      # The number of an application's builders that started since one finished: a byte each, in a file beside the
      # compile cache. A builder that ends without a message (an error, a signal, no memory) counts as failed, and each
      # failure delays the next builder longer.
      class Attempts
        # Seconds to wait after the first failure, and the maximum.
        FIRST = 60
        MOST = 3600

        def initialize(path)
          @path = path
        end

        def count = File.size?(@path).to_i

        # Seconds until a boot may start another builder; 0 if it may start one now.
        def wait(now: Process.clock_gettime(Process::CLOCK_REALTIME))
          count = count()
          return 0 if count.zero?

          since = now - File.mtime(@path).to_f
          since.negative? ? 0 : [[FIRST << [count - 1, 10].min, MOST].min - since, 0].max
        rescue Errno::ENOENT
          0
        end

        # Counts a started builder. Raises SystemCallError.
        def add
          File.open(@path, File::WRONLY | File::CREAT | File::APPEND | File::NOFOLLOW, 0o600) { |file| file.write(".") }
        end

        # Called when a builder has finished.
        def forget
          File.unlink(@path)
        rescue Errno::ENOENT
          nil
        end
      end
    end
  end
end
