# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      module Heap
        # The memory that a program may use: the machine's available memory or, if smaller, the limit of its cgroup (v1
        # or v2) or of a parent cgroup. In a container, /sys/fs/cgroup has the container's cgroup as its root,
        # regardless of the path in /proc/self/cgroup.
        class Memory
          # cgroup v1 reports a value above this if there is no limit.
          NONE = 1 << 60

          # root: the root of the file system; tests pass another folder.
          def initialize(root = "")
            @root = root
          end

          # The available memory in bytes; 0 if the system does not report it.
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
