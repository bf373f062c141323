# frozen_string_literal: true

module GemEras
  # Metadata with random edits: lines are dropped, duplicated, swapped, indented and truncated; special characters of
  # YAML are inserted.
  module Mutants
    MARKS = ["'", "\"", ":", ": ", " #", "- ", "\\", "!", "! ", "&1 ", "*1", "|", ">", "\n", " ", "  ", "~", "0", ".",
             "?", "é", "\t", "[", "{", "!!str ", "!binary ", "\x01"].freeze

    module_function

    # {name => text}
    def of(texts, count, random)
      Array.new(count) { |index| ["mutant-#{index}", mutated(texts.sample(random: random), random)] }.to_h
    end

    def mutated(yaml, random)
      lines = yaml.lines
      random.rand(1..3).times do
        index = random.rand(1...lines.size)
        lines[index] = change(lines, index, random)
      end
      lines.flatten.compact.join
    end

    def change(lines, index, random)
      line = lines[index].is_a?(String) ? lines[index] : "\n"
      case random.rand(7)
      when 0 then nil
      when 1 then [line, line]
      when 2 then "  #{line}"
      when 3 then line.delete_prefix("  ")
      when 4, 5 then line.dup.insert(random.rand(line.size), MARKS.sample(random: random))
      else line.sub(/\S+$/) { |word| word[0, random.rand(word.size)] }
      end
    end
  end
end
