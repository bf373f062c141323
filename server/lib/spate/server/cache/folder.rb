# frozen_string_literal: true

require "fileutils"
require "securerandom"
require "spate/server/native/files"

module Spate
  module Server
    class Cache
      # The folder on disk: cas/ and ac/ with one file per entry, tmp/ for unfinished files. Symlinks in the folder are
      # not followed. Several machines may share the folder. Entries appear only when they are complete, and a file that
      # disappears is not an error.
      class Folder
        KINDS = Name::FORMS.keys.freeze
        UNFINISHED = "tmp"
        # Names of this server's files in tmp/, which may also contain files of other programs.
        OWN = /\A[0-9a-f]{32}\z/
        # An unfinished file is abandoned if it was not written for this many seconds. The timeouts of uploads are
        # shorter.
        ABANDONED = 3600
        # Number of entries that are read before other threads may run.
        SOME = 100

        attr_reader :path

        # Creates missing folders. Raises Error when the folders cannot be used.
        def initialize(path)
          FileUtils.mkdir_p(path)
          @path = File.realpath(path)
          [*KINDS, UNFINISHED].each { |name| make(File.join(@path, name)) }
          @found = Native::Folder.new(@path, true, false)
        rescue SystemCallError => e
          raise Error.new("#{path} cannot be used as a cache: #{Error.reason(e)}", hint: "name a writable folder")
        end

        # Returns the size of an entry in bytes, or nil when the entry does not exist.
        def size(name) = find(name)&.size

        # Sets the entry's times to now, as if it had just been written and read.
        def renew(name)
          now = Time.now
          File.lutime(now, now, place(name))
        rescue SystemCallError # the entry was removed, or belongs to another user
          nil
        end

        # Creates an unfinished file for an upload. The caller passes it to `keep` or `drop`. Raises SystemCallError.
        def begin_file
          path = File.join(inside(UNFINISHED), SecureRandom.hex(16)) # see OWN
          File.open(path, File::WRONLY | File::CREAT | File::EXCL | File::BINARY)
        end

        # Moves a complete file to the entry's path and replaces an older file there. Raises SystemCallError.
        def keep(file, name)
          file.close
          File.rename(file.path, place(name))
        end

        # Closes and removes an unfinished file. The file may already be closed.
        def drop(file)
          file.close
        rescue SystemCallError # close may report a full disk
          nil
        ensure
          unlink(file.path)
        end

        # Removes an entry. Returns the number of removed bytes, or nil when no entry was removed. unused: a Unix time;
        # the entry is only removed if it was not used since. Raises SystemCallError.
        def remove(name, unused: nil)
          found = find(name) or return
          return if unused && found.atime >= unused * 1_000_000_000

          found.size if unlink(place(name))
        end

        # Yields each entry's Name and File::Stat, and lets other threads run in between.
        def each(&block)
          KINDS.each do |kind|
            entries(kind).each_slice(SOME) do |some|
              some.each(&block)
              sleep(0.001)
            end
          end
        end

        # Returns the entries of one kind, as an Enumerator that reads the disk on demand.
        def entries(kind)
          enum_for(:each_file, kind).lazy.filter_map do |key, status|
            [Name.new(kind, key), status] if Name.possible?(kind, key)
          end
        end

        # Removes unfinished files of writers that were killed.
        def sweep(now = Time.now)
          each_file(UNFINISHED) do |name, status|
            unlink(File.join(inside(UNFINISHED), name)) if OWN.match?(name) && now - status.mtime > ABANDONED
          end
        end

        private

        # Returns the Native::Found of an entry, or nil when the entry does not exist.
        def find(name)
          found = @found.find(name.file)
          found if found.is_a?(Native::Found) && found.file?
        end

        def make(path)
          FileUtils.mkdir_p(path)
          return unless File.lstat(path).symlink?

          raise Error.new("#{path} is a symbolic link; expected a folder",
                          hint: "links are not followed: mount the folder there instead")
        end

        def place(name) = File.join(inside(name.kind), name.key)

        # Returns the path of one of the folders. Checks it each time, because another user with write permission could
        # replace the folder with a symlink after the start.
        def inside(folder)
          path = File.join(@path, folder)
          raise Errno::ENOTDIR, path unless File.lstat(path).directory?

          path
        end

        def each_file(folder)
          path = inside(folder)
          Dir.each_child(path) do |name|
            status = File.lstat(File.join(path, name))
            yield name, status if status.file?
          rescue Errno::ENOENT # another process removed it
            nil
          end
        end

        def unlink(path)
          File.unlink(path).positive?
        rescue Errno::ENOENT
          nil
        end
      end

      # The content of cas/ or ac/ in the format of nginx' autoindex_format json: an array with one entry per line, in
      # directory order. The folder is read while the response is sent, as fast as the client reads, so that listing a
      # large cache takes no memory.
      class Listing
        include Enumerable

        # Number of entries in one part of the response. Other connections are served between two parts.
        SOME = 64

        # folder: a Folder. kind: "cas" or "ac".
        def initialize(folder, kind)
          @folder = folder
          @kind = kind
        end

        # Yields the parts as Strings. Raises SystemCallError.
        def each
          separator = "[\n"
          @folder.entries(@kind).each_slice(SOME) do |entries|
            yield separator + entries.map { |name, status| line(name, status) }.join(",\n")
            separator = ",\n"
          end
          yield separator == "[\n" ? "[\n]\n" : "\n]\n"
        end

        private

        # Formats one entry. Keys need no escaping.
        def line(name, status)
          %({ "name":"#{name.key}", "type":"file", "mtime":"#{Response::HTTPDate.of(status.mtime)}", ) +
            %("size":#{status.size} })
        end
      end
    end
  end
end
