# frozen_string_literal: true

module Spate
  module Util
    # Finds words for "Did you mean …?": the most similar word, if it is similar enough for a typo.
    module Suggestion
      # Returns one of `words`, or nil. At most a third of the letters may differ.
      def self.near(word, words)
        best = words.min_by { |candidate| distance(word, candidate) }
        best if best && distance(word, best) <= [word.length / 3, 1].max
      end

      # The edit distance, in which swapping adjacent letters counts as one change (optimal string alignment).
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

    # Removes secrets from a URI, or from text with URIs: user and password, and the query, which may contain a
    # signature. A password may contain anything except a space, so it extends to the last @, except an @ that starts an
    # npm scope. A port that may be the beginning of a password is replaced by dots.
    module Redaction
      LAST = %r{(?:\S*(?<!/)@|\S*@)}
      USER = %r{://(?:(?!\[)[^/\s:@]*:(?:(?!\d{1,5}/)#{LAST}|(?<doubt>\d{1,5}/\S*(?<!/)@))|[^/\s]+@)}
      QUERY = %r{(?<before>://[^\s?]+\?)\S*[^\s,;:)]}
      private_constant :LAST, :USER, :QUERY

      def self.of(text)
        text.to_s.gsub(USER) { Regexp.last_match(:doubt) ? "://...@" : "://" }.gsub(QUERY, '\k<before>...')
      end
    end
  end
end
