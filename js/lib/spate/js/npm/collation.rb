# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # The order in which npm writes names: English as ICU sorts it (`localeCompare(other, "en")`). Punctuation sorts
      # first, then digits, then letters; case matters only if nothing else differs.
      module Collation
        # Unicode's default order of the characters in names and paths.
        ORDER = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
        # The same as something that sorts by its bytes.
        RANKS = ORDER.each_char.with_index.map { |_, index| (33 + index).chr }.join
        # Both for String#tr, to which "-", "^" and "\" mean something.
        FROM = ORDER.gsub(/[\\^-]/) { |char| "\\#{char}" }.freeze
        TO = RANKS.gsub(/[\\^-]/) { |char| "\\#{char}" }.freeze
        private_constant :RANKS

        module_function

        # A String that sorts as the text does.
        def key(text)
          small = text.downcase
          ranked = small.tr(FROM, TO)
          small == text ? ranked : "#{ranked}\0#{text.gsub(/[[:upper:]]/, "2").gsub(/[^2]/, "1")}"
        end
      end
    end
  end
end
