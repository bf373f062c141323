# frozen_string_literal: true

module Spate
  module Boot
    module Background
      # Counts the builders of an application that started since the last one that finished. The count is the size of a
      # file beside the compile cache. A builder that does not reset it has failed (error, signal, out of memory), and
      # each failure increases the delay before the next builder.
      class Attempts
        # Seconds to wait after the first failure, and the maximum. Each failure doubles the wait.
        FIRST = 60
        MOST = 3600

        # The starts of warm parents since a command last used one. The first three need not wait.
        def self.of_parents(path) = new(path, free: 3, most: 1800)

        # free: how many attempts need not wait. most: seconds.
        def initialize(path, free: 0, most: MOST)
          @path = path
          @free = free
          @most = most
        end

        def count = File.size?(@path).to_i

        # Seconds until a boot may start another builder; 0 if it may start one now.
        def wait(now: Process.clock_gettime(Process::CLOCK_REALTIME))
          count = count() - @free
          return 0 unless count.positive?

          since = now - File.mtime(@path).to_f
          since.negative? ? 0 : [[FIRST << [count - 1, 10].min, @most].min - since, 0].max
        rescue Errno::ENOENT
          0
        end

        # Called when a builder starts. Raises SystemCallError.
        def add
          File.open(@path, File::WRONLY | File::CREAT | File::APPEND | File::NOFOLLOW, 0o600) { |file| file.write(".") }
        end

        # Called when a builder finishes.
        def forget
          File.unlink(@path)
        rescue Errno::ENOENT
          nil
        end
      end
    end
  end
end
