# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # The destination of profiles: the file itself, or a new file in the same folder, whose name contains the
      # process's id and a count.
      class OutputFile
        attr_reader :ending

        # pid: whether to add the process's id. number: whether to add a count, so that no file is replaced.
        def initialize(path, pid: false, number: false)
          @path = File.expand_path(path)
          @ending = Profile.ending(path)
          @pid = pid
          @number = number
        end

        # Yields the file, open for writing; other users may not read it. Replaces an existing file only when no count
        # is added. Returns the path.
        def write(&block)
          return replace(stem + @ending, &block) unless @number

          number = 1
          begin
            path = "#{stem}-#{number}#{@ending}"
            File.open(path, File::WRONLY | File::CREAT | File::EXCL, 0o600, binmode: true, &block)
          rescue Errno::EEXIST
            number += 1
            retry
          end
          path
        end

        private

        def stem
          name = @path.delete_suffix(@ending)
          @pid ? "#{name}-#{Process.pid}" : name
        end

        # Replaces the file by renaming, so that a reader of the old file can still read all of it.
        def replace(path, &block)
          fresh = "#{path}.#{Process.pid}"
          File.unlink(fresh) if File.symlink?(fresh) || File.exist?(fresh)
          File.open(fresh, File::WRONLY | File::CREAT | File::EXCL, 0o600, binmode: true, &block)
          File.rename(fresh, path)
          path
        rescue StandardError
          File.unlink(fresh) if File.exist?(fresh)
          raise
        end
      end
    end
  end
end
