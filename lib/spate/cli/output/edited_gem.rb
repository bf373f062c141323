# frozen_string_literal: true

module Spate
  module CLI
    module Output
      # A gem whose files are the bundle's own (`spate edit`), and the number of changed files.
      class EditedGem
        # own_copy: Install::Check::OwnCopies::OwnCopy.
        def initialize(own_copy)
          @own_copy = own_copy
        end

        # "rack-3.0.0 is being edited: 2 files changed"
        def message = Util::Terminal.plain("#{@own_copy.name} is being edited: #{changes}")

        def changes
          files = @own_copy.files or return "its package is not in the store, so changes are unknown"

          files.zero? ? "no file changed" : "#{Units.count(files, "file")} changed"
        end
      end
    end
  end
end
