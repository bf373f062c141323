# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Patch
        # Lines of a file, and what becomes of them.
        #
        # start:: the first line's number in the old file; old_size:: how many; the same for the new one
        # parts:: [[" ", "-" or "+", [line, ...], whether the file ends there without a newline], ...]
        Hunk = Struct.new(:start, :old_size, :new_start, :new_size, :parts) do
          # [[line's index, lines that go, lines that come], ...], nil where it does not fit.
          def edits(lines)
            Hunk::OFFSETS.each do |offset|
              found = edits_at(lines, start - 1 + offset) and return found
            end
            nil
          end

          def reversed
            swapped = parts.map { |sign, lines, ends| [sign.tr("+-", "-+"), lines, ends] }
            Hunk.new(new_start, new_size, start, old_size, swapped)
          end

          private

          def edits_at(lines, index)
            return if index.negative? || lines.size - index < old_size

            parts.flat_map do |sign, texts, ends|
              next addition(index, texts, ends) if sign == "+"
              return nil unless same?(lines, index, texts)

              index += texts.size
              sign == "-" ? removal(index - texts.size, texts, ends) : []
            end
          end

          def same?(lines, index, texts)
            texts.each_with_index.all? { |text, at| (line = lines[index + at]) && line.rstrip == text.rstrip }
          end

          # A file without a newline at its end gets one where its last line goes, and loses it where one comes.
          def removal(index, texts, ends) = [[index, texts.size, []], *([:push] if ends)]
          def addition(index, texts, ends) = [[index, 0, texts], *([:pop] if ends)]
        end

        # In the class itself, where its constants are found.
        class Hunk
          class Error < StandardError; end

          OFFSETS = [0, *(1..20).flat_map { |offset| [-offset, offset] }].freeze

          # The lines with all edits made, whose indexes are those before.
          def self.edit(lines, edits)
            lines = lines.dup
            moved = 0
            edits.each do |index, gone, texts|
              next lines.push("") if index == :push
              next lines.pop if index == :pop

              lines[[index + moved, lines.size].min, gone] = texts
              moved += texts.size - gone
            end
            lines
          end
        end
      end
    end
  end
end
