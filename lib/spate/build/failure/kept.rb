# frozen_string_literal: true

module Spate
  module Build
    class Failure
      # Stores the logs of failed builds. A build may print its whole environment, including tokens, so only the user
      # who ran the build may read its log, even in a shared store.
      module Kept
        FOLDER = "logs"
        MODE = 0o700

        module_function

        # Path of the log; nil if it cannot be written.
        def write(store, name, text)
          return unless store&.writable?

          folder = store.make(store.path(FOLDER))
          # All members of a team store their logs there.
          File.chmod(MODE, folder) if store.owner && File.owned?(folder)
          path = File.join(folder, "#{name}.log")
          Util::Files.write(path, text, permissions: 0o600)
          path
        rescue SystemCallError, Store::Error
          nil
        end
      end
    end
  end
end
