# frozen_string_literal: true

module Spate
  module Install
    # Locks a folder itself with flock, so no lock file remains, and the lock is released when the process ends. Child
    # processes receive the folder's path in an environment variable: a child that waited for the lock would cause a
    # deadlock.
    module FolderLock
      VARIABLE = "SPATE_RESTORING"
      SEPARATOR = "\n"
      # Seconds after which a warning about the wait is printed.
      WARN_AFTER = 3

      module_function

      # Waits for the lock. folder: an open File. events: Events that receive a warning about a long wait. Raises
      # HeldError.
      def acquire(folder, events, env: ENV, patience: WARN_AFTER)
        return if folder.flock(File::LOCK_EX | File::LOCK_NB)

        path = File.realpath(folder.path)
        raise HeldError, path if held?(path, env)

        warning = Thread.new { warn_after(path, events, patience) } if events
        folder.flock(File::LOCK_EX)
      ensure
        warning&.kill&.join
      end

      # Environment variables for child processes. env: the environment that they would otherwise have.
      def variables(path, env) = { VARIABLE => [*held(env), path].uniq.join(SEPARATOR) }

      # Whether a spate process holds the lock that waits for this one. path: the folder's real path.
      def held?(path, env = ENV) = held(env).include?(path)

      def held(env) = env[VARIABLE].to_s.split(SEPARATOR)

      def warn_after(path, events, patience)
        sleep patience
        events.emit(:warning, message: "waiting for another spate process that is using #{path}", hint: nil)
      end
      private_class_method :held, :warn_after
    end
  end
end
