# frozen_string_literal: true

module Spate
  module Build
    # The words of all texts that a build read. Shells, make and Perl read the whole environment, and nobody hears which
    # variable they meant: it may be any whose name is a word of these texts, set or not. Kept as sorted hashes of four
    # bytes each.
    class Words
      # But none of a line that is a comment in all languages that read variables. What is an everyday word too is a
      # variable only where it is expanded.
      WORD = /^[ \t]*#.*|\$[({]?(?:#{Environment::EVERYDAY.join("|")})\b|[A-Za-z_]\w+/
      # Letters, with the "_", that a part of a name has at least: a shorter one is part of too many.
      PART = 3
      # Bytes. What is larger is data.
      LARGEST = 4 << 20
      # What compilers read asks for no variable; logs are written.
      OTHERS = /\.(?:[chsm]|cc|cpp|cxx|hh|hpp|mm|rs|inc|o|a|so|log|gemspec)\z/i

      # paths: of files that were read. Those that are gone or no texts do not count.
      def self.of(paths)
        found = paths.grep_v(OTHERS).flat_map { |path| text(path).scan(WORD).uniq }
        new(found.uniq.grep_v(/#/).map { |word| number(word.delete("({")) }.uniq.sort)
      end

      # What `to_s` wrote. Nothing for what is none.
      def self.parse(text) = new(text.to_s.unpack1("m").unpack("N*"))

      # What a text may have of a variable's name: all of it, or how it begins or ends ("MY_" + flavour).
      def self.numbers(name)
        (@numbers ||= {})[name] ||= begin
          name = name.b
          cuts = (1...name.size).select { |index| name[index] == "_" }
          parts = cuts.flat_map { |index| [name[0..index], name[index..]] }.select { |part| part.size >= PART }
          (Environment::EVERYDAY.include?(name) ? ["$#{name}"] : [name, *parts]).map { |word| number(word) }
        end
      end

      def self.number(word) = Store.sha256(word)[0, 8].hex

      def self.text(path)
        text = Content.of(path, LARGEST + 1).to_s
        text.size > LARGEST || text.byteslice(0, 1024).include?("\0") ? "" : text
      end
      private_class_method :text

      # numbers: sorted.
      def initialize(numbers)
        @numbers = numbers
      end

      def size = @numbers.size

      # Whether that is one of them.
      def say?(word) = number?(Words.number(word))

      # Whether one of them may mean a variable of that name.
      def mention?(name) = Words.numbers(name).any? { |number| number?(number) }

      def to_s = [@numbers.pack("N*")].pack("m0")

      private

      def number?(number) = !@numbers.bsearch { |other| number <=> other }.nil?
    end
  end
end
