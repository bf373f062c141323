# frozen_string_literal: true

module Spate
  module Util
    # "Did you mean …?": the nearest word by edit distance, if it is near enough to be a typo.
    module Suggestion
      # Returns one of `words`, or nil. At most a third of the letters may differ.
      def self.near(word, words)
        best = words.min_by { |candidate| distance(word, candidate) }
        best if best && distance(word, best) <= [word.length / 3, 1].max
      end

      # Levenshtein's distance, except that swapping neighbouring letters counts as one change (optimal string
      # alignment).
      def self.distance(from, to)
        before = nil
        row = (0..to.length).to_a
        from.each_char.with_index(1) do |letter, i|
          current = [i]
          to.each_char.with_index(1) do |other, j|
            cost = letter == other ? 0 : 1
            current << [row[j] + 1, current[j - 1] + 1, row[j - 1] + cost].min
            swapped = i > 1 && j > 1 && letter == to[j - 2] && from[i - 2] == other
            current[j] = [current[j], before[j - 2] + 1].min if swapped
          end
          before = row
          row = current
        end
        row.last
      end
    end
  end
end
