# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Small files that were served before: a request then costs one stat. A path is here only when it was found to lie
      # in the folder; an entry counts only while inode, size and both times are those of the path's file.
      class Memory
        # Bytes of one file, of all, and what an entry takes beside its content.
        SMALL = 65_536
        ALL = 32 << 20
        ENTRY = 1024

        def initialize
          @entries = {}
          @bytes = 0
        end

        def find(path, stat)
          entry = @entries[path] or return
          return entry if entry.same?(stat)

          forget(path)
          nil
        end

        # Answers the entry, with its content where it is small and was read whole.
        def keep(path, entry, file)
          return entry if entry.size > SMALL || !entry.settled?(Time.now)

          content = file.pread(entry.size + 1, 0).freeze
          return entry if content.bytesize != entry.size || !entry.same?(file.stat)

          entry.content = content
          forget(path)
          @bytes += content.bytesize + ENTRY
          forget(@entries.each_key.first) while @bytes > ALL
          @entries[path] = entry
        rescue EOFError
          entry
        end

        private

        def forget(path)
          entry = @entries.delete(path) or return
          @bytes -= entry.size + ENTRY
        end
      end
    end
  end
end
