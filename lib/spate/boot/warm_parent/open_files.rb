# frozen_string_literal: true

module Spate
  module Boot
    class WarmParent
      # The files that the application has left open, such as logs. A forked command opens them again, because a log may
      # have been rotated since, and because parent and children would share one position.
      class OpenFiles
        FLAGS = File::WRONLY | File::RDWR | File::APPEND | File::SYNC | File::DSYNC | File::NONBLOCK
        private_constant :FLAGS

        # Called in the parent after the application was loaded.
        def initialize
          @files = ObjectSpace.each_object(File).filter_map do |file|
            next if file.closed? || file.fileno <= 2

            file.flush
            [file, File.absolute_path(file.path), file.pos, flags(file)] if file.stat.file?
          rescue IOError, SystemCallError
            nil # unnamed, or without a position
          end
        end

        # Called in the child.
        def reopen
          @files.each do |file, path, position, flags|
            next if file.closed? || !(new = open(path, flags))

            same = File.identical?(new, file)
            sync = file.sync
            file.reopen(new)
            file.sync = sync
            file.seek(position) if same && flags.nobits?(File::APPEND)
            new.close
          rescue IOError, SystemCallError
            next # the command uses the shared one
          end
        end

        private

        # A log that was removed is created again, as a boot would do.
        def open(path, flags)
          flags |= File::CREAT if flags.anybits?(File::APPEND)
          File.open(path, flags)
        rescue SystemCallError
          nil
        end

        def flags(file)
          Integer(File.read("/proc/self/fdinfo/#{file.fileno}")[/^flags:\s*(\d+)/, 1], 8) & FLAGS
        end
      end
    end
  end
end
