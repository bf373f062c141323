# frozen_string_literal: true

module Spate
  module Build
    # The words of all texts that a build read. Shells, make and Perl read the whole environment, and nobody hears which
    # variable they meant: it may be any whose name is a word of these texts, set or not. Kept as sorted hashes of four
    # bytes each.
    class Words
      # A line that is a comment in all languages that read variables says nothing.
      WORD = /^[ \t]*#.*|[A-Za-z_]\w+/
      # Those that are everyday words too mean a variable only where they are expanded.
      EXPANDED = /\$[({]?(#{Environment::EVERYDAY.join("|")})\b/
      # Letters, with the "_", that a part of a name has at least: a shorter one is part of too many.
      PART = 3
      # Bytes. What is larger is data.
      LARGEST = 4 << 20
      # What compilers read asks for no variable; logs are written.
      OTHERS = /\.(?:[chsm]|cc|cpp|cxx|hh|hpp|mm|rs|inc|o|a|so|log|gemspec)\z/i

      class << self
        # paths: of files that were read. Those that are gone or no texts do not count.
        def of(paths)
          found = {}
          paths.each { |path| text(path)&.then { |text| add(text, found) } unless OTHERS.match?(path) }
          new(found.keys.grep_v(/#/).map { |word| number(word) }.uniq.sort)
        end

        # What `to_s` wrote. Nothing for what is none.
        def parse(text) = new(text.to_s.unpack1("m").unpack("N*"))

        def number(word) = Store.sha256(word)[0, 8].hex

        # What a text may have of a variable's name: all of it, or how it begins or ends ("MY_" + flavour).
        def numbers(name)
          @numbers ||= {}
          @numbers[name] ||= forms(name).map { |word| number(word) }
        end

        private

        def add(text, found)
          text.scan(WORD) { |word| found[word] = true }
          text.scan(EXPANDED) { |name,| found["$#{name}"] = true }
        end

        def forms(name) = Environment::EVERYDAY.include?(name) ? ["$#{name}"] : [name, *parts(name)]

        def parts(name)
          cuts = (1...name.size).select { |index| name[index] == "_" }
          cuts.flat_map { |index| [name[0..index], name[index..]] }.select { |part| part.size >= PART }
        end

        def text(path)
          return if !File.file?(path) || File.size(path) > LARGEST || File.binread(path, 1024).to_s.include?("\0")

          File.binread(path)
        rescue SystemCallError
          nil
        end
      end

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

      def number?(number) = @numbers.bsearch { |other| number <=> other }
    end
  end
end
