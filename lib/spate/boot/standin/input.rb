# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # One thing on the disk that the answer stands on, and how it is looked at: [type, path, stamp, found, pattern,
      # flags]. stamp: [size, mtime_ns, ctime_ns, inode] or nil; found is compared where the stamp proves nothing.
      #
      #   file    content, as a hash; nil: there is no such file
      #   gems    a folder of gems: while it is the same, so is every :kind directly in it (see Disk)
      #   folder  names in a folder (pattern: only those that match); nil: there is no such folder
      #   kind    what stat calls it; nil: nothing is there
      #   state   all that stat, lstat and realpath say of it: always looked up
      #   glob    names that a pattern finds below a folder: always looked up
      module Input
        ALWAYS = %i[glob state].freeze

        module_function

        # As it is now; see above.
        def read(type, path, pattern = nil, flags = nil)
          [type, path, stamp(path), found(type, path, pattern, flags), pattern, flags]
        end

        # nil where nothing changed, else what did. there: whether there was something.
        def change(type, path, there, found, pattern = nil, flags = nil)
          return if found(type, path, pattern, flags) == found

          if type == :glob then "the names that #{pattern} finds in #{path} have changed"
          elsif stamp(path).nil? then "#{path} is gone"
          elsif !there then "#{path} is new"
          else
            "#{path} has changed"
          end
        end

        def found(type, path, pattern, flags)
          case type
          when :file then File.file?(path) ? hash(File.binread(path)) : nil
          when :folder then names(path, pattern)
          when :kind then File.stat(path).ftype
          when :state then state(path)
          when :glob then hash(Dir.glob(pattern, flags.to_i, base: path).sort.join("\n"))
          end
        rescue SystemCallError
          nil
        end

        def state(path)
          real = File.realpath(path)
          [path, real].map { |place| facts(File.lstat(place)) } << real
        end

        def facts(stat)
          [stat.mode, stat.uid, stat.gid, stat.size, stat.mtime.to_r, stat.ino, stat.nlink]
        end

        def names(path, pattern)
          hash((pattern ? Dir.glob(pattern, base: path) : Dir.children(path)).sort.join("\n")) if File.directory?(path)
        end

        def stamp(path)
          Native.stat(path)&.values_at(0, 1, 2, 4)
        end

        def hash(string) = Native.content_hash(nil, string)
      end
    end
  end
end
