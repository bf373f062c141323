# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      module Heap
        # How much memory a program may use: the machine's free memory, limited by its control group (version 1 or 2)
        # and the group's parents. In a container the file system shows the container's group as the root, regardless of
        # the path.
        class Memory
          # Version 1 represents "no limit" by the largest number of pages.
          NONE = 1 << 60

          # root: root of the file system, for tests.
          def initialize(root = "")
            @root = root
          end

          # In bytes; 0 if the system does not report it.
          def available
            kilobytes = read("/proc/meminfo").to_s[/^MemAvailable: +(\d+) kB/, 1] or return 0
            [kilobytes.to_i << 10, *limits].min
          end

          private

          # Parses lines "0::/path" or "8:memory:/path".
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
