# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Caches files that were served before, so that a request for such a file costs one system call. A path is added
      # only after it was found inside the folder; an entry is valid only while inode, size and both times match the
      # path's file.
      class Cache
        # Bytes. SMALL: maximum content that is kept per file. ALL: maximum of all entries. ENTRY: overhead of an entry.
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

        # path: the path as clients send it. Returns a valid Resource, or nil.
        def find(path)
          resource = @resources[path] or return
          return resource if @folder.same?(resource.name, resource.plain.found)

          forget(path)
        end

        # Adds a resource, if its times are settled.
        def keep(path, resource, now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
          return unless resource.settled?(now)

          forget(path)
          resource.weight = path.bytesize + ENTRY
          @bytes += resource.weight
          @resources[path] = resource
          weigh(path, resource)
        end

        # Updates the weight of a resource whose representations have gained content.
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
