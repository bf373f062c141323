# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # An archive on disk, and the facts known before unpacking.
      #
      # expected:: SHA-256 that it must have, hex, or nil if unknown
      # verified:: source of the checksum: "lockfile", "index", "vendor" (only the checksums inside of the file) or
      #            "archive"
      # origin:: :store, :vendor, :team (the team's cache) or :network
      # domain:: domain of the checksum's source (see Registry::Trust); nil if the checksum comes from the application
      # owned:: whether the file is a temporary file of this run, to be moved into the store
      # seen:: for a file that is not moved: the result of ArchiveCheck.stable_stat before the file was read
      Archive = Struct.new(:path, :expected, :verified, :origin, :domain, :bytes, :owned, :seen, keyword_init: true) do
        # Moves or copies the archive into the store, unless the store has an undamaged one. sha256: computed from its
        # bytes.
        def keep(store, full_name, sha256)
          target = store.archive_path(sha256)
          return if ArchiveCheck.intact?(target, sha256)

          File.unlink(target) if File.symlink?(target) || File.file?(target)
          return File.rename(path, target) && ArchiveCheck.mark(target) if owned
          return if ArchiveCheck.copy(path, target, sha256, seen: seen, temporary: store.temporary("archive"))

          raise ChecksumError.new("#{full_name}: #{path} changed while it was installed",
                                  hint: ArchiveError::HINTS[:checksum])
        end

        # Verifies an archive that is not unpacked. (Unpacking computes the hash too.) Raises ChecksumError.
        def verify(full_name, sha256)
          found = Native.sha256_file(path)
          return if found == sha256

          raise ChecksumError.new("#{full_name}: expected the SHA-256 #{sha256}, found #{found} in #{path}",
                                  hint: ArchiveError::HINTS[:checksum])
        end

        def discard
          File.unlink(path) if owned && File.exist?(path)
        end
      end

      class Archive
        # The number of compressed bytes of the metadata to read. `extensions` precedes the list of files.
        HEAD = 4096
        EXTENSIONS = /^extensions:\n- /
        FIRST = "metadata.gz\0"
        SIZE = (124...136)
        BLOCK = 512
        private_constant :HEAD, :EXTENSIONS, :FIRST, :SIZE, :BLOCK

        # Whether the gem seems to have extensions. A wrong guess affects only the order of unpacking.
        def native?
          require "zlib"
          head = File.binread(path, BLOCK + HEAD) || ""
          return false unless head.start_with?(FIRST)

          compressed = head.byteslice(BLOCK, head[SIZE].to_s.oct.clamp(0, HEAD)) || ""
          EXTENSIONS.match?(inflate(compressed))
        rescue Zlib::Error, SystemCallError
          false
        end

        private

        def inflate(compressed)
          stream = Zlib::Inflate.new(Zlib::MAX_WBITS + 16)
          stream.inflate(compressed)
        ensure
          stream&.close
        end
      end
    end
  end
end
