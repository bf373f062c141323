# frozen_string_literal: true

module Spate
  class Store
    # An advisory lock between processes: flock(2) on a file that is never removed (removing it would let two holders
    # lock two files of one name). The kernel lets go when the holder dies. Core Ruby only.
    module Lock
      module_function

      # Yields while the lock at `path` is held, and answers the block's value. `shared` locks exclude exclusive ones
      # only. With `wait: false` raises Locked instead of waiting. In a store that nobody here can write and that
      # has no lock file there is nothing to guard against: the block runs without.
      def hold(path, shared:, wait:)
        file = open(path)
        return yield unless file

        begin
          mode = (shared ? File::LOCK_SH : File::LOCK_EX) | (wait ? 0 : File::LOCK_NB)
          raise Locked, path unless file.flock(mode)

          yield
        ensure
          file.close
        end
      end

      def open(path)
        File.open(path, File::RDWR | File::CREAT, 0o644)
      rescue Errno::EROFS, Errno::EACCES, Errno::EPERM, Errno::ENOENT, Errno::ENOTDIR
        begin
          File.open(path, File::RDONLY)
        rescue SystemCallError
          nil
        end
      end
      private_class_method :open
    end
  end
end
