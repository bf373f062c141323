# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Files that were served before: a request then costs one system call. A path is here only when it was found to
      # lie in the folder; what is known of it counts only while inode, size and both times are those of the path's
      # file.
      class Memory
        # Bytes of one file whose content is kept, of all, and what an entry takes beside its content.
        SMALL = 65_536
        ALL = 32 << 20
        ENTRY = 2048

        # folder: a Native::Folder.
        def initialize(folder, all: ALL)
          @folder = folder
          @all = all
          @known = {}
          @bytes = 0
        end

        # path: as clients send it.
        def find(path)
          known = @known[path] or return
          return known if @folder.same?(known.name, known.found)

          forget(path)
        end

        # Keeps what is settled.
        def keep(path, known, now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
          return unless known.settled?(now)

          forget(path)
          known.weight = path.bytesize + ENTRY
          @bytes += known.weight
          @known[path] = known
          weigh(path, known)
        end

        # Counts what came to it meanwhile: contents of representations.
        def weigh(path, known)
          weight = known.bytes + path.bytesize + ENTRY
          return if weight == known.weight || !@known[path].equal?(known)

          @bytes += weight - known.weight
          known.weight = weight
          forget(@known.each_key.first) while @bytes > @all
        end

        def size = @known.size

        private

        def forget(path)
          known = @known.delete(path) or return
          @bytes -= known.weight
          nil
        end
      end
    end
  end
end
