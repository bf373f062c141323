# frozen_string_literal: true

require "fileutils"
require "securerandom"
require "spate/server/native/files"

module Spate
  module Server
    class Cache
      # The folder on disk: cas/ and ac/ with a file each entry, tmp/ with what is being written. No link in it is
      # followed. Other nodes may have the same folder: what is here is whole, and a file that goes away is no fault.
      class Folder
        KINDS = Name::FORMS.keys.freeze
        UNFINISHED = "tmp"
        # What this calls a file there: others' files may lie beside, as in a folder that had a tmp/ of its own.
        OWN = /\A[0-9a-f]{32}\z/
        # Seconds without a write after which nobody is at work on a file any more: the server's limits are tighter.
        ABANDONED = 3600
        # Entries that are looked at before other threads have their turn.
        SOME = 100

        attr_reader :path

        # Makes what is not there. Error where it cannot be used.
        def initialize(path)
          FileUtils.mkdir_p(path)
          @path = File.realpath(path)
          [*KINDS, UNFINISHED].each { |name| make(File.join(@path, name)) }
          @found = Native::Folder.new(@path, true, false)
        rescue SystemCallError => e
          raise Error.new("#{path} cannot hold a cache: #{Error.reason(e)}", hint: "name a folder that can be written")
        end

        # Bytes of an entry, nil where there is none.
        def size(name) = find(name)&.size

        # An entry is as good as one that was asked for, and written, just now.
        def renew(name)
          now = Time.now
          File.lutime(now, now, place(name))
        rescue SystemCallError # it went, or is another user's
          nil
        end

        # A File to be written, which `keep` or `drop` take. SystemCallError.
        def begin_file
          path = File.join(inside(UNFINISHED), SecureRandom.hex(16)) # see OWN
          File.open(path, File::WRONLY | File::CREAT | File::EXCL | File::BINARY)
        end

        # Puts a whole file into its place, where an older one may be. SystemCallError.
        def keep(file, name)
          file.close
          File.rename(file.path, place(name))
        end

        # From any state.
        def drop(file)
          file.close
        rescue SystemCallError # the disk may tell only now that it is full
          nil
        ensure
          unlink(file.path)
        end

        # Bytes that were taken away, nil where there is nothing. unused: Unix time since when nobody may have asked for
        # it. SystemCallError.
        def remove(name, unused: nil)
          found = find(name) or return
          return if unused && found.atime >= unused * 1_000_000_000

          found.size if unlink(place(name))
        end

        # Yields each entry's Name and File::Stat, and lets other threads work in between.
        def each(&block)
          KINDS.each do |kind|
            entries(kind).each_slice(SOME) do |some|
              some.each(&block)
              sleep(0.001)
            end
          end
        end

        # The same of one kind, as an Enumerator that reads the disk only as it is asked.
        def entries(kind)
          enum_for(:each_file, kind).lazy.filter_map do |key, status|
            [Name.new(kind, key), status] if Name.possible?(kind, key)
          end
        end

        # Takes away what writers left that were killed.
        def sweep(now = Time.now)
          each_file(UNFINISHED) do |name, status|
            unlink(File.join(inside(UNFINISHED), name)) if OWN.match?(name) && now - status.mtime > ABANDONED
          end
        end

        private

        # Native::Found of an entry, nil where there is none.
        def find(name)
          found = @found.find(name.file)
          found if found.is_a?(Native::Found) && found.file?
        end

        def make(path)
          FileUtils.mkdir_p(path)
          return unless File.lstat(path).symlink?

          raise Error.new("#{path} is a link, a folder was expected", hint: "links are not followed: mount it there")
        end

        def place(name) = File.join(inside(name.kind), name.key)

        # The path of one of the folders. Who may write beside them can put a link there after the start.
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
          rescue Errno::ENOENT # another took it away
            nil
          end
        end

        def unlink(path)
          File.unlink(path).positive?
        rescue Errno::ENOENT
          nil
        end
      end
    end
  end
end
