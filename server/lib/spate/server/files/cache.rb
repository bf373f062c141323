# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Caches files that were served before, so that a request for such a file costs one system call. A path is added
      # only after it was found inside the folder. An entry is valid while the file's inode, size, mtime and ctime are
      # unchanged.
      class Cache
        # Bytes. SMALL: largest file whose content is cached. ALL: maximum of all entries. ENTRY: overhead of an entry.
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

        # Returns the Resource of a path, or nil if it is not cached or the file has changed. path: as sent by the
        # client.
        def find(path)
          resource = @resources[path] or return
          return resource if @folder.same?(resource.name, resource.plain.found)

          forget(path)
        end

        # Adds a resource, unless its file changed too recently: see Resource#settled?.
        def keep(path, resource, now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
          return unless resource.settled?(now)

          forget(path)
          resource.weight = path.bytesize + ENTRY
          @bytes += resource.weight
          @resources[path] = resource
          weigh(path, resource)
        end

        # Updates the weight of a resource after content was added to one of its representations.
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
