# frozen_string_literal: true

module Spate
  module Build
    class Failure
      # Logs of what failed, in a store. A build may print its whole environment, tokens among it: so they are for who
      # ran it, even where others may read the store.
      module Kept
        FOLDER = "logs"
        MODE = 0o700

        module_function

        # Path of the log, nil where nothing can be written.
        def write(store, name, text)
          return unless store&.writable?

          folder = store.make(store.path(FOLDER))
          # Members of a team all keep theirs there.
          File.chmod(MODE, folder) if store.owner && File.owned?(folder)
          path = File.join(folder, "#{name}.log")
          Ground::Files.write(path, text, permissions: 0o600)
          path
        rescue SystemCallError, Store::Error
          nil
        end
      end
    end
  end
end
