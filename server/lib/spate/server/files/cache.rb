# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Files that were served before: a request then costs one system call. A path is here only when it was found to
      # lie in the folder; what is known of it counts only while inode, size and both times are those of the path's
      # file.
      class Cache
        # Bytes of one file whose content is kept, of all, and what an entry takes beside its content.
        SMALL = 65_536
        ALL = 32 << 20
        ENTRY = 2048

        # folder: a Native::Folder.
        def initialize(folder, all: ALL)
          @folder = folder
          @all = all
          @resources = {}
          @bytes = 0
        end

        # path: as clients send it.
        def find(path)
          resource = @resources[path] or return
          return resource if @folder.same?(resource.name, resource.plain.found)

          forget(path)
        end

        # Keeps what is settled.
        def keep(path, resource, now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
          return unless resource.settled?(now)

          forget(path)
          resource.weight = path.bytesize + ENTRY
          @bytes += resource.weight
          @resources[path] = resource
          weigh(path, resource)
        end

        # Counts what came to it meanwhile: contents of representations.
        def weigh(path, resource)
          weight = resource.bytes + path.bytesize + ENTRY
          return if weight == resource.weight || !@resources[path].equal?(resource)

          @bytes += weight - resource.weight
          resource.weight = weight
          forget(@resources.each_key.first) while @bytes > @all
        end

        def size = @resources.size

        private

        def forget(path)
          resource = @resources.delete(path) or return
          @bytes -= resource.weight
          nil
        end
      end
    end
  end
end
