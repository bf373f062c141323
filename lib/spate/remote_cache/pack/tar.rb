# frozen_string_literal: true

module Spate
  module RemoteCache
    class Pack
      # Writes a tar (POSIX.1-1988 ustar; names that do not fit as pax, POSIX.1-2001) without traces of its machine:
      # no times, no owners.
      #
      #   0 name 100   100 mode 8   108 uid 8   116 gid 8   124 size 12   136 mtime 12   148 sum 8   156 type 1
      #   157 link 100   257 "ustar" NUL "00"   265 owner 32   297 group 32   329 device 16   345 prefix 155
      class Tar
        BLOCK = 512
        NAME = 100
        TYPES = { file: "0", symlink: "2", directory: "5" }.freeze

        # out: open for writing.
        def initialize(out)
          @out = out
        end

        # entries: hashes as manifests have them. Yields each file's and out, to write its content.
        def write(entries)
          entries.each do |entry|
            longer(entry)
            size = entry[:type] == :file ? entry[:size] : 0
            header(entry[:path], TYPES.fetch(entry[:type]), entry[:mode], size, entry[:target].to_s)
            yield entry, @out if entry[:type] == :file
            pad(size)
          end
          @out.write("\0" * (2 * BLOCK))
        end

        private

        def longer(entry)
          records = { "path" => entry[:path], "linkpath" => entry[:target].to_s }
                    .select { |_, text| text.bytesize > NAME }.map { |name, text| record(name, text) }.join.b
          return if records.empty?

          header("pax", "x", 0o644, records.bytesize, "")
          @out.write(records)
          pad(records.bytesize)
        end

        # Begins with its own length in bytes, the digits of that among them.
        def record(name, text)
          rest = " #{name}=".b + text.b + "\n".b
          length = rest.bytesize + 1
          length += 1 until length == rest.bytesize + length.to_s.size
          length.to_s.b + rest
        end

        def header(name, type, mode, size, target)
          block = [name.b.byteslice(0, NAME), format("%07o", mode), format("%07o", 0), format("%07o", 0),
                   format("%011o", size), format("%011o", 0), " " * 8, type, target.b.byteslice(0, NAME), "ustar\x0000"]
                  .pack("a100a8a8a8a12a12a8a1a100a8x247")
          block[148, 8] = format("%06o\0 ", block.sum(32))
          @out.write(block)
        end

        def pad(size) = @out.write("\0" * (-size % BLOCK))
      end
    end
  end
end
