# frozen_string_literal: true

module Spate
  class Store
    class Healing
      # Unpacks a package's archive into a temporary store under tmp/, to get undamaged files. A damaged object is never
      # opened for writing, since projects may have links to its inode. The new file is renamed over it, so that the
      # object always exists.
      class Extraction
        # The archive does not contain the file, because a build created it.
        class Foreign < Missing
        end

        # Yields an Extraction, and removes its files afterwards. Raises Missing if the archive is missing or damaged.
        def self.open(store, manifest)
          folder = store.temporary("heal")
          extraction = new(store, manifest, folder)
          extraction.unpack
          yield extraction
        ensure
          Sweep.remove(folder) if folder
        end

        def initialize(store, manifest, folder)
          @store = store
          @manifest = manifest
          @folder = folder
        end

        def unpack
          archive = @store.archive_path(@manifest.sha256)
          check(archive)
          @store.make(@folder)
          @scratch = Native::Store.new(@folder, unpack_threads: 1, link_threads: 1)
          @scratch.unpack(archive, kind: kind(archive), sha256: @manifest.sha256, tree: nil).close
        rescue Native::Error => e
          raise Error.for(e.errno, @folder) if e.errno.to_i.positive?

          raise Missing.new("the package of #{archive} cannot be repaired: #{e.message}", sha256: @manifest.sha256)
        end

        # The path of a new file with the content, mode and mtime of an entry. The extracted file may have a different
        # mode, since installers make executables executable. Raises Foreign.
        def file(entry)
          path = File.join(@folder, "fresh-#{entry[:sha256]}-#{entry[:mode].to_s(8)}")
          return path if File.exist?(path)

          found = source(entry) or raise Foreign.new("the archive #{@manifest.sha256} does not contain #{entry[:path]}",
                                                     sha256: @manifest.sha256, hint: "rebuild it: spate install")
          Util::Files.copy(found, path, mode: entry[:mode], time: Time.at(0, entry[:mtime_ns], :nsec))
          path
        rescue SystemCallError => e
          raise Error.for(e, path)
        end

        private

        def check(archive)
          found = Native.sha256_file(archive) if File.file?(archive)
          return if found == @manifest.sha256

          File.unlink(archive) if found && @store.writable?
          raise Missing.new("the package of #{archive} cannot be repaired: " \
                            "the archive #{found ? "is damaged, with the SHA-256 #{found}" : "does not exist"}",
                            sha256: @manifest.sha256)
        end

        # A .gem is a plain tar, an npm archive a gzip file.
        def kind(archive) = File.binread(archive, 2) == "\x1f\x8b".b ? :npm : :gem

        def source(entry)
          exact = @scratch.object_path(entry[:sha256], entry[:mode])
          [exact, *Dir.glob("#{File.dirname(exact)}/#{entry[:sha256]}-*")].find do |path|
            File.file?(path) && Native.sha256_file(path) == entry[:sha256]
          end
        end
      end
    end
  end
end
