# frozen_string_literal: true

module Spate
  module CompileCache
    # A lock for builders: flock on a file that is never removed. The kernel releases the lock when the process ends.
    module Lock
      module_function

      # Runs the block with the lock and returns true. Returns false if another process held the lock for `seconds`.
      def hold(path, seconds: 0)
        File.open(path, File::RDWR | File::CREAT | File::NOFOLLOW, 0o600) do |file|
          return false unless acquire(file, Util.now + seconds)

          yield
          true
        end
      end

      def acquire(file, deadline)
        until file.flock(File::LOCK_EX | File::LOCK_NB)
          return false if Util.now >= deadline

          sleep 0.05
        end
        true
      end

      private_class_method :acquire
    end
  end
end
