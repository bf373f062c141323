# frozen_string_literal: true

module Spate
  module Util
    # Files and folders that are written atomically: created next to their target, then renamed. Core Ruby only.
    module Files
      # Attempts to create a folder while other processes remove the folders above it. Some folders, such as /proc,
      # never accept a new one.
      TRIES = 3

      module_function

      # Creates a folder and its parents; returns its path. mode: before the umask is applied.
      def make_folder(path, mode = 0o777)
        return path if File.directory?(path) # an exception costs more than everything else here

        make_folder(File.dirname(path), mode) unless File.directory?(File.dirname(path))
        Dir.mkdir(path, mode)
        path
      rescue Errno::EEXIST
        path
      rescue Errno::ENOENT
        above = make_folder(File.dirname(path), mode)
        # A dangling link exists, but is not a folder.
        File.directory?(above) && (tries = tries.to_i + 1) <= TRIES ? retry : raise
      end

      # The path, or the nearest folder above it that exists.
      def nearest(path) = File.exist?(path) ? path : nearest(File.dirname(path))

      # A path next to `path` that does not exist.
      def beside(path) = "#{path}.#{Process.pid}-#{Random.urandom(8).unpack1("H*")}"

      # Yields a path in the same file system for the block to fill, and renames the result to `path`. After a failure,
      # or if the thread ends, nothing is left. Returns the block's value.
      def replace(path, temporary = beside(path))
        answer = yield temporary
        File.rename(temporary, path)
        temporary = nil
        answer
      ensure
        remove(temporary) if temporary
      end

      # Removes a file or a link, even a dangling one. A missing file is not an error.
      def remove(path)
        File.unlink(path)
      rescue Errno::ENOENT
        nil
      end

      # Copies content; returns the number of bytes.
      def copy(source, target, mode:, time:)
        bytes = IO.copy_stream(source, target)
        File.chmod(mode, target)
        File.utime(time, time, target)
        bytes
      end

      # Creates a hard link. Calls the block if the file system does not support the link.
      def link(source, target)
        File.link(source, target)
      rescue Errno::EXDEV, Errno::EPERM, Errno::EMLINK, Errno::ENOTSUP
        yield
      end

      # permissions: mode of a new file, before the umask is applied. mode: independent of the umask. over: a temporary
      # path that may exist, if only one process at a time writes.
      def write(path, text, permissions: 0o666, mode: nil, temporary: beside(path), over: nil)
        replace(path, over || temporary) do |fresh|
          File.open(fresh, File::WRONLY | File::CREAT | (over ? File::TRUNC : File::EXCL) | File::BINARY,
                    permissions) do |file|
            file.chmod(mode) if mode
            file.write(text)
          end
        end
      end
    end
  end
end
