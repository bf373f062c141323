# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      module Heap
        # How much memory a program may take: what the machine has free, and the limits of its control groups (version 1
        # or 2), its own group's and those of its parents. In a container the file system shows the container's group as
        # the root, regardless of the path.
        class Memory
          # Version 1 has no word for "no limit": it is the largest number of pages.
          NONE = 1 << 60

          # root: the system's, for tests.
          def initialize(root = "")
            @root = root
          end

          # Bytes; 0 if the system does not report it.
          def available
            kilobytes = read("/proc/meminfo").to_s[/^MemAvailable: +(\d+) kB/, 1] or return 0
            [kilobytes.to_i << 10, *limits].min
          end

          private

          # Lines "0::/path", or "8:memory:/path".
          def limits
            read("/proc/self/cgroup").to_s.lines(chomp: true).flat_map do |line|
              _, controllers, path = line.split(":", 3)
              next [] unless path && (controllers.empty? || controllers.split(",").include?("memory"))

              place, file = controllers.empty? ? ["", "memory.max"] : ["/memory", "memory.limit_in_bytes"]
              groups(path).filter_map { |group| limit("/sys/fs/cgroup#{place}#{group}/#{file}") }
            end
          end

          # "/a/b" => ["/a/b", "/a", ""]
          def groups(path)
            names = path.split("/").reject(&:empty?)
            names.size.downto(0).map { |count| names.first(count).map { |name| "/#{name}" }.join }
          end

          def limit(path)
            bytes = read(path).to_s[/\A\d+/] or return
            bytes.to_i if bytes.to_i < NONE
          end

          def read(path)
            File.read("#{@root}#{path}", encoding: Encoding::BINARY)
          rescue SystemCallError
            nil
          end
        end
      end
    end
  end
end
