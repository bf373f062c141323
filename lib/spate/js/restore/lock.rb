# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # One restore at a time works in a project.
      module Lock
        module_function

        # Yields under a lock on the project's folder itself, which leaves no file behind and ends with its process.
        def hold(root)
          folder = File.open(root)
          folder.flock(File::LOCK_EX)
          yield
        ensure
          folder&.close
        end
      end
    end
  end
end
