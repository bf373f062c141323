# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The words of all that a build read or ran. Shells, make and Perl read the whole environment, and nobody hears
      # which variable they meant: it may be any whose name is a word of these, set or not. Kept as sorted hashes of
      # four bytes each.
      class Words
        # A compiler that is told so asks the processor what it is, and nobody hears it.
        NATIVE = "=native"
        # Of a line that is a comment in most languages only what is expanded or quoted: it may be printed. What is an
        # everyday word too is a variable only where it is expanded.
        EVERYDAY = /(?:\$(?:ENV\{["']?|[({])?|(?<!\w)(?:ifn?def|-v|printenv)[ \t]+|
                       (?:environ|ENVIRON|getenv)(?:\.\w+)?[\[(]["']|["'](?=\w+["'][ ](?:not[ ])?in[ ]))
                    (?:#{Environment::EVERYDAY.join("|")})\b/nx
        WORD = /^[ \t]*\#(?=[ \t!#]).*|#{EVERYDAY}|[A-Za-z_]\w+|
                (?<=cpu|arch|tune)#{NATIVE}\b/nx
        EXPANDED = /(?<=[$({@"'])[A-Za-z_]\w+/n
        # Letters, with the "_", that a part of a name has at least: a shorter one is part of too many.
        PART = 3
        # Bytes. What is larger is data, or no shell.
        LARGEST = 4 << 20
        # What compilers read asks for no variable, but Rust's own script of a build.
        OTHERS = %r{\.(?:[chsoa]|cc|cpp|cxx|hh|hpp|mm|(?<!/build\.)rs)\z}i
        ELF = "\x7FELF".b
        # In a program that finds variables without libc, as shells and make do, and the names that it has.
        SEARCHES = "environ\0".b
        NAME = /(?<!\w)[A-Z][A-Z0-9_]+(?!\w)/n
        # cargo takes its configuration from there, and Rust's texts have no borders.
        CARGO = %w[CARGO_ RUSTC RUSTC_ RUSTFLAGS].freeze

        # texts: paths of files that were read; removed: [[path, bytes]] of those that are gone. programs: of those that
        # ran; unheard: of those among them that do not tell which variables they ask for.
        def self.of(texts, removed: [], programs: [], unheard: [])
          found = texts.grep_v(OTHERS).flat_map { |path| words(Content.of(path, LARGEST + 1).to_s) } +
                  removed.flat_map { |path, text| OTHERS.match?(path) ? [] : words(text) } +
                  programs.flat_map { |path| path.end_with?("/cargo") ? CARGO : sought(path, unheard.include?(path)) }
          new(found.uniq.map { |word| number(word) }.uniq.sort)
        end

        # A name in small letters may be meant in capitals.
        def self.words(text)
          return [] if text.start_with?(ELF) || text.size > LARGEST

          prose, found = text.scan(WORD).uniq.partition { |word| word.include?("#") }
          found.map! { |word| word.match?(/[^\w=]/) ? "$#{word[/\w+\z/]}" : word }
          found + found.grep(/[a-z]_[a-z]/n).map!(&:upcase) + prose.flat_map { |line| line.scan(EXPANDED) }
        end

        # The same few compilers and shells run in each build.
        def self.sought(path, unheard)
          stat = File.stat(path)
          (@sought ||= {})[[path, unheard, stat.mtime, stat.ctime]] ||= begin
            text = Content.of(path).to_s if unheard || stat.size <= LARGEST
            text && (unheard || text.include?(SEARCHES)) ? text.scan(NAME).uniq : []
          end
        rescue SystemCallError
          []
        end
        private_class_method :words, :sought

        # What `to_s` wrote. Nothing for what is none.
        def self.parse(text) = new(text.to_s.unpack1("m").unpack("N*"))

        # What a text may have of a variable's name: all of it, or how it begins or ends ("MY_" + flavour); of one that
        # is no word ("my-flavour", which make takes) that of each word in it.
        def self.numbers(name)
          (@numbers ||= {})[name] ||= begin
            words = name.b.scan(/\w+/n).flat_map { |word| [word, *parts(word)] }
            (Environment::EVERYDAY.include?(name) ? ["$#{name}"] : words).map { |word| number(word) }
          end
        end

        def self.parts(word)
          cuts = (1...word.size).select { |index| word[index] == "_" }
          cuts.flat_map { |index| [word[0..index], word[index..]] }.select { |part| part.size >= PART }
        end
        private_class_method :parts

        def self.number(word) = Store.sha256(word)[0, 8].hex

        # numbers: sorted.
        def initialize(numbers)
          @numbers = numbers
        end

        def size = @numbers.size

        # Whether that is one of them.
        def say?(word) = number?(Words.number(word))

        # Whether one of them may mean a variable of that name. A letter is in all of them.
        def mention?(name) = name.size == 1 || Words.numbers(name).any? { |number| number?(number) }

        def to_s = [@numbers.pack("N*")].pack("m0")

        private

        def number?(number) = !@numbers.bsearch { |other| number <=> other }.nil?
      end
    end
  end
end
