# frozen_string_literal: true

module Spate
  class Store
    # An advisory lock between processes, implemented with flock(2). The lock file is never removed: otherwise two
    # processes could lock two different files with the same name. The kernel releases the lock when the process ends.
    # Core Ruby only.
    module Lock
      module_function

      # Runs the block with the lock at `path`, and returns the block's value. Shared locks only exclude exclusive ones.
      # With `wait: false`, raises Locked instead of waiting. If the store is not writable and has no lock file, the
      # block runs without a lock.
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
