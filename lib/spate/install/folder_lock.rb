# frozen_string_literal: true

module Spate
  module Install
    # A lock on the folder itself. It leaves no file behind and is released when the process ends. Child processes get
    # the folder's path in an environment variable, because a child that waited for the lock would deadlock.
    module FolderLock
      VARIABLE = "SPATE_RESTORING"
      SEPARATOR = "\n"
      # Seconds after which the user is told about the wait.
      PATIENCE = 3

      module_function

      # Waits for the lock. folder: an open File. events: Events that receive a warning about a long wait. Raises
      # HeldError.
      def take(folder, events, env: ENV, patience: PATIENCE)
        return if folder.flock(File::LOCK_EX | File::LOCK_NB)

        path = File.realpath(folder.path)
        raise HeldError, path if held(env).include?(path)

        teller = Thread.new { tell(path, events, patience) } if events
        folder.flock(File::LOCK_EX)
      ensure
        teller&.kill&.join
      end

      # Environment variables for children. env: the children's environment.
      def variables(path, env) = { VARIABLE => [*held(env), path].uniq.join(SEPARATOR) }

      def held(env) = env[VARIABLE].to_s.split(SEPARATOR)

      def tell(path, events, patience)
        sleep patience
        events.emit(:warning, message: "waiting for another spate process that is using #{path}", hint: nil)
      end
      private_class_method :held, :tell
    end
  end
end
