# frozen_string_literal: true

require "zlib"

module Spate
  module Registry
    module Index
      # Looks up the MD5 of a gem's /info page in a remote's /versions (see Versions). That file has hundreds of
      # thousands of lines, so they are sorted into buckets once after a full download. Lines that the source appends
      # later are read from the file itself.
      #
      #   spate-checksums 1 24194567 1a2b3c4d          number of bytes of /versions in the buckets, and its identity
      #   <OFFSETS little-endian 32-bit numbers>       offset of each bucket, and of the end of the last one
      #   rack 6f5902ac237024bdd0c176cb93063dc4        lines of the first bucket, newest last
      class Checksums
        BUCKETS = 4096
        OFFSETS = BUCKETS + 1
        HEAD = /\Aspate-checksums 1 (\d+) (\h{8})\n/

        # page: an up-to-date CachedPage of /versions. path: the path of the file with the buckets.
        def initialize(page, path)
          @page = page
          @path = path
        end

        # The MD5 in hex, or nil if the source does not list the gem.
        def [](name)
          prepare unless @file
          @later[name] || in_bucket(name)
        end

        private

        def in_bucket(name)
          from, to = @file.pread(8, @start + (4 * bucket(name))).unpack("L<2")
          return if from == to

          text = @file.pread(to - from, @start + (4 * OFFSETS) + from)
          at = text.rindex("\n#{name} ".b) or return
          text.byteslice(at + name.bytesize + 2, 32)
        end

        def bucket(name) = Zlib.crc32(name) % BUCKETS

        # Opens the buckets, or rebuilds them if they were not built from the beginning of the cached /versions.
        def prepare
          covered = open_buckets || build
          @later = parse(@page.bytes(covered))
        end

        def open_buckets
          file = File.open(@path, "rb")
          head = HEAD.match(file.pread(64, 0)) or return
          return if head[2] != identity || @page.size.to_i < head[1].to_i

          @start = head.end(0)
          @file = file
          head[1].to_i
        rescue SystemCallError, EOFError
          nil
        end

        # Identifies a version of /versions by its beginning. If a source rebuilds the file, the date there changes.
        def identity = format("%08x", Zlib.crc32(@page.bytes(0, 256)))

        def build
          text = @page.bytes(0)
          buckets = Array.new(BUCKETS) { "\n".b }
          parse(text).each { |name, md5| buckets[bucket(name)] << name << " " << md5 << "\n" }
          Util::Files.write(@path, binary(text.bytesize, buckets), permissions: 0o644)
          open_buckets
        end

        def binary(size, buckets)
          offsets = buckets.each_with_object([0]) { |lines, list| list << (list.last + lines.bytesize) }
          "spate-checksums 1 #{size} #{identity}\n".b << offsets.pack("L<*") << buckets.join
        end

        # { name => MD5 }. The last line of a name takes precedence. Lines of the file's header do not match.
        def parse(text)
          text.scan(/^([\w.-]+) \S+ (\h{32})$/n).to_h
        end
      end
    end
  end
end
