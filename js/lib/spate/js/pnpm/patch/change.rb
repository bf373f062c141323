# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Patch
        # A patch's change to one file.
        #
        # kind:: :modify, :create or :delete
        # path:: in the package
        # mode:: Integer that it gets, or nil
        # hunks:: [Hunk]
        # from:: the path from which it is moved first, or nil
        Change = Struct.new(:kind, :path, :mode, :hunks, :from) do
          # The text after it. Raises Hunk::Error.
          def applied(text)
            lines = text.split("\n", -1)
            lines = [""] if lines.empty?
            edits = hunks.each_with_index.flat_map do |hunk, at|
              hunk.edits(lines) or raise Hunk::Error, "hunk #{at + 1} does not fit #{path}"
            end
            Hunk.edit(lines, edits).join("\n")
          end

          def reversed = Change.new(kind, path, mode, hunks.map(&:reversed))

          def fits?(text)
            applied(text)
            true
          rescue Hunk::Error
            false
          end
        end
      end
    end
  end
end
