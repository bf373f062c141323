# frozen_string_literal: true

module Spate
  module RemoteCache
    # Packs the files of a stored build into one file, and unpacks it. The file is a tar, compressed with zstd if the
    # system has it, otherwise with gzip. Reading supports both. The result is deterministic for the same compressor.
    class Pack
      autoload :Places, "spate/remote_cache/pack/places"

      ZSTD = "\x28\xB5\x2F\xFD".b
      GZIP = "\x1F\x8B".b
      # The compression level of zstd. Higher levels take several times as long and save only a tenth of the size.
      LEVEL = 2
      # LIMIT: maximum size of a build to send or accept, in bytes. MEMORY: maximum size of a file that is read into
      # memory, in bytes.
      LIMIT = 1 << 30
      MEMORY = 24 << 20

      # blob: SHA-256 of the file. For the other members see Entry.
      Packed = Struct.new(:blob, :blob_bytes, :tar_bytes, :file_bytes, :paths, keyword_init: true)

      def initialize(store)
        @store = store
      end

      # Packs a build (Build::Cache::Entry) into a new file at `path`. Returns Packed. Yields each piece of each file.
      # Raises Refused, SystemCallError.
      def write(build, path, places, &block)
        manifest = build.manifest
        entries = Array.new(manifest.count) { |index| manifest.entry(index) }
        places.check(entries)
        check_objects(build, entries)
        tar = temporary do |file|
          Tar.new(file).write(entries) { |entry, out| copy(build, entry, out, &block) }
          compress(file, path)
          file.size
        end
        Packed.new(blob: Native.sha256_file(path), blob_bytes: File.size(path), tar_bytes: tar,
                   file_bytes: manifest.bytes, paths: entries.size)
      end

      # Adds the files of an entry's blob to the store. Returns manifest entries. Raises Refused if the blob does not
      # match the entry or cannot be decompressed, or SystemCallError.
      def read(entry, path, places)
        check_blob(entry, path)
        with_archive(entry, path) do |archive|
          unpacked = @store.native.unpack(archive, kind: :build, memory: MEMORY, max_total: [entry.file_bytes, 1].max,
                                                   max_entry: [entry.file_bytes, 1].max)
          entries = Array.new(unpacked.count) { |index| unpacked.entry(index) }
          raise refused(entry, "has other files than its entry lists") unless
            [entries.size, unpacked.bytes] == [entry.paths, entry.file_bytes]

          places.check(entries)
          entries
        ensure
          unpacked&.close
        end
      rescue Native::Error => e
        raise refused(entry, [e.member, e.message].reject(&:empty?).join(": "))
      end

      # Compresses an open file into a new one at `path`.
      def compress(file, path)
        file.flush
        File.open(path, File::WRONLY | File::CREAT | File::EXCL | File::BINARY, 0o600) do |out|
          next Native::Zstd.compress(file, out, LEVEL) unless Native::Zstd.missing

          require "zlib"
          gzip = Zlib::GzipWriter.new(out, Zlib::DEFAULT_COMPRESSION)
          gzip.mtime = 1 # 0 would mean the current time
          file.rewind
          IO.copy_stream(file, gzip)
          gzip.finish
        end
      end

      # Decompresses an entry's blob to a new file at `to`. Raises Refused (like #read), SystemCallError.
      def expand(entry, path, to)
        check_blob(entry, path)
        File.open(to, File::WRONLY | File::CREAT | File::EXCL | File::BINARY, 0o600) do |file|
          File.open(path, "rb") { |blob| copy_expanded(entry, blob, file) }
          raise refused(entry, "has another expanded size than its entry says") if file.size != entry.tar_bytes
        end
      rescue Native::Error => e
        raise refused(entry, e.message)
      end

      private

      def refused(entry, why) = Refused.new("the blob of #{entry.what} #{why}")

      # Raises Refused if an object is damaged. Installs repair such objects.
      def check_objects(build, entries)
        bytes = build.manifest.bytes
        raise Refused, "it has #{bytes} bytes, more than the limit of #{LIMIT}" if bytes > LIMIT

        index, = build.store.native.verify_manifest(build.manifest)
        raise Refused, "#{entries[index][:path]} is damaged in the store" if index
      end

      def copy(build, entry, out)
        left = entry[:size]
        File.open(build.store.native.object_path(entry[:sha256], entry[:mode]), "rb") do |file|
          while (piece = file.read(1 << 20))
            yield entry[:path], piece
            out.write(piece)
            left -= piece.bytesize
          end
        end
        raise Refused, "#{entry[:path]} changed while it was sent" unless left.zero?
      end

      def check_blob(entry, path)
        raise refused(entry, "has more than #{LIMIT} bytes") if [*entry.file_bytes, entry.tar_bytes].max > 2 * LIMIT

        found = [File.size(path), Native.sha256_file(path)]
        raise refused(entry, "does not match its digest and size") unless found == [entry.blob_bytes, entry.blob]
      end

      # Yields the path of an archive that the core can unpack.
      def with_archive(entry, path, &block)
        magic = File.binread(path, 4).to_s
        return expanded(entry, path, &block) if magic == ZSTD
        raise refused(entry, "is neither zstd nor gzip") unless magic.start_with?(GZIP)

        yield path
      end

      def expanded(entry, path)
        temporary do |file|
          File.open(path, "rb") { |blob| unzstd(entry, blob, file) }
          yield file.path
        end
      end

      def unzstd(entry, blob, file)
        missing = Native::Zstd.missing
        raise refused(entry, "is compressed by zstd, which is not installed here: #{missing}") if missing

        Native::Zstd.expand(blob, file, entry.tar_bytes)
      end

      def copy_expanded(entry, blob, file)
        magic = blob.read(4).to_s
        blob.rewind
        return unzstd(entry, blob, file) if magic == ZSTD

        require "zlib"
        IO.copy_stream(Zlib::GzipReader.new(blob), file, entry.tar_bytes + 1)
      rescue Zlib::Error => e
        raise refused(entry, "is neither zstd nor gzip, or damaged: #{e.message}")
      end

      # Yields an open temporary file, and removes it afterwards.
      def temporary(&block)
        File.open(path = @store.temporary("pack"), File::RDWR | File::CREAT | File::EXCL | File::BINARY,
                  0o600, &block)
      ensure
        File.unlink(path) if path && File.exist?(path)
      end

      # Writes a tar without times and owners, so that it does not depend on the machine. The format is ustar
      # (POSIX.1-1988), with pax headers (POSIX.1-2001) for long names.
      #
      #   0 name 100   100 mode 8   108 uid 8   116 gid 8   124 size 12   136 mtime 12   148 sum 8   156 type 1
      #   157 link 100   257 "ustar" NUL "00"   265 owner 32   297 group 32   329 device 16   345 prefix 155
      class Tar
        BLOCK = 512
        NAME = 100
        TYPES = { file: "0", symlink: "2", directory: "5" }.freeze

        # out: an IO for writing.
        def initialize(out)
          @out = out
        end

        # entries: manifest entries. Yields each file's entry and `out`, so that the block writes the content.
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

        # A pax record starts with its own length in bytes, including the digits of this length.
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
