# frozen_string_literal: true

module Spate
  module Util
    # Writes files and folders atomically: creates them next to their target, then renames them. Core Ruby only.
    module Files
      # The number of attempts to create a folder while other processes remove its parents. The number is limited, since
      # a folder can never be created in some places such as /proc.
      TRIES = 3

      module_function

      # Creates a folder and its parents; returns its path. mode: before the umask is applied.
      def make_folder(path, mode = 0o777)
        return path if File.directory?(path) # the check is faster than rescuing EEXIST

        make_folder(File.dirname(path), mode) unless File.directory?(File.dirname(path))
        Dir.mkdir(path, mode)
        path
      rescue Errno::EEXIST
        path
      rescue Errno::ENOENT
        above = make_folder(File.dirname(path), mode)
        # Retry, unless the parent is a dangling link.
        File.directory?(above) && (tries = tries.to_i + 1) <= TRIES ? retry : raise
      end

      # The path, or its nearest existing parent.
      def nearest(path) = File.exist?(path) ? path : nearest(File.dirname(path))

      # A path next to `path` that does not exist.
      def beside(path) = "#{path}.#{Process.pid}-#{Random.urandom(8).unpack1("H*")}"

      # Yields a new path on the same file system, at which the block creates a file or folder, then renames it to
      # `path`. After an error, or if the thread is killed, removes the file. Returns the block's value.
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

      # Copies the content of a file. Returns the number of bytes.
      def copy(source, target, mode:, time:)
        bytes = IO.copy_stream(source, target)
        File.chmod(mode, target)
        File.utime(time, time, target)
        bytes
      end

      # Creates a hard link. Calls the block if the file system does not support this link.
      def link(source, target)
        File.link(source, target)
      rescue Errno::EXDEV, Errno::EPERM, Errno::EMLINK, Errno::ENOTSUP
        yield
      end

      # permissions: mode of the file before the umask is applied. mode: mode independent of the umask. over: a
      # temporary path that may exist; only for use by one process at a time.
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
