# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The words of all files that a build read or ran. Shells, make and Perl read the whole environment, so their use
      # of variables cannot be traced: they may use any variable, set or not, whose name is one of these words. Stored
      # as sorted hashes of four bytes each.
      class Words
        # An option that tells a compiler to detect the processor, which cannot be traced.
        NATIVE = "=native"
        # A line that is a comment in most languages may still be printed, so only its expanded or quoted words count. A
        # common word counts as a variable only if it is expanded.
        EVERYDAY = /(?:\$(?:ENV\{["']?|[({])?|(?<!\w)(?:ifn?def|-v|printenv)[ \t]+|
                       (?:environ|ENVIRON|getenv)(?:\.\w+)?[\[(]["']|["'](?=\w+["'][ ](?:not[ ])?in[ ]))
                    (?:#{Environment::EVERYDAY.join("|")})\b/nx
        WORD = /^[ \t]*\#(?=[ \t!#]).*|#{EVERYDAY}|[A-Za-z_]\w+|
                (?<=cpu|arch|tune)#{NATIVE}\b/nx
        EXPANDED = /(?<=[$({@"'])[A-Za-z_]\w+/n
        # Minimum length of a part of a name, including its "_". Shorter ones are part of too many names.
        PART = 3
        # In bytes. Larger files are data, and larger programs are not shells.
        LARGEST = 4 << 20
        # Source files of compiled languages. They read no variables during a build, except Rust's build scripts.
        OTHERS = %r{\.(?:[chsoa]|cc|cpp|cxx|hh|hpp|mm|(?<!/build\.)rs)\z}i
        ELF = "\x7FELF".b
        # Names in a program that finds variables without libc, as shells and make do.
        SEARCHES = "environ\0".b
        NAME = /(?<!\w)[A-Z][A-Z0-9_]+(?!\w)/n
        # Prefixes from which cargo builds the names of its configuration variables. Texts in Rust programs are not
        # delimited.
        CARGO = %w[CARGO_ RUSTC RUSTC_ RUSTFLAGS].freeze

        # texts: paths of files that were read; removed: [[path, bytes]] of deleted ones. programs: paths of programs
        # that ran; untraced: programs among them whose reads of variables are not traced.
        def self.of(texts, removed: [], programs: [], untraced: [])
          found = texts.grep_v(OTHERS).flat_map { |path| words(Content.of(path, LARGEST + 1).to_s) } +
                  removed.flat_map { |path, text| OTHERS.match?(path) ? [] : words(text) } +
                  programs.flat_map { |path| path.end_with?("/cargo") ? CARGO : sought(path, untraced.include?(path)) }
          new(found.uniq.map { |word| number(word) }.uniq.sort)
        end

        # A lower-case name may also refer to the upper-case variable.
        def self.words(text)
          return [] if text.start_with?(ELF) || text.size > LARGEST

          prose, found = text.scan(WORD).uniq.partition { |word| word.include?("#") }
          found.map! { |word| word.match?(/[^\w=]/) ? "$#{word[/\w+\z/]}" : word }
          found + found.grep(/[a-z]_[a-z]/n).map!(&:upcase) + prose.flat_map { |line| line.scan(EXPANDED) }
        end

        # Cached, since the same few compilers and shells run in each build.
        def self.sought(path, untraced)
          stat = File.stat(path)
          (@sought ||= {})[[path, untraced, stat.mtime, stat.ctime]] ||= begin
            text = Content.of(path).to_s if untraced || stat.size <= LARGEST
            text && (untraced || text.include?(SEARCHES)) ? text.scan(NAME).uniq : []
          end
        rescue SystemCallError
          []
        end
        private_class_method :words, :sought

        # Parses the output of `to_s`. Any other text gives no words.
        def self.parse(text) = new(text.to_s.unpack1("m").unpack("N*"))

        # The ways in which a text may mention a variable: by its whole name, or by its beginning or end ("MY_" +
        # flavour). If the name is not a word ("my-flavour", which make accepts), by those of each word in it.
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

        # Whether the set contains the word.
        def say?(word) = number?(Words.number(word))

        # Whether one of the words may refer to the variable. Single letters always match.
        def mention?(name) = name.size == 1 || Words.numbers(name).any? { |number| number?(number) }

        def to_s = [@numbers.pack("N*")].pack("m0")

        private

        def number?(number) = !@numbers.bsearch { |other| number <=> other }.nil?
      end
    end
  end
end
