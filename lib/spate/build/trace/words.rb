# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The set of words in all files that a build read or ran. Shells, make and Perl read the whole environment, so the
      # variables that they use cannot be traced. Spate assumes that they use every variable whose name is one of these
      # words. Stored as sorted 4-byte hashes.
      class Words
        # An option that tells a compiler to detect the processor, which cannot be traced.
        NATIVE = "=native"
        # Matches a common word that is expanded as a variable. Other uses of common words are ignored. A line that
        # begins with "#" is usually a comment but may be output of a script, so only its expanded or quoted words are
        # used (EXPANDED).
        EVERYDAY = /(?:\$(?:ENV\{["']?|[({])?|(?<!\w)(?:ifn?def|-v|printenv)[ \t]+|
                       (?:environ|ENVIRON|getenv)(?:\.\w+)?[\[(]["']|["'](?=\w+["'][ ](?:not[ ])?in[ ]))
                    (?:#{Environment::EVERYDAY.join("|")})\b/nx
        WORD = /^[ \t]*\#(?=[ \t!#]).*|#{EVERYDAY}|[A-Za-z_]\w+|
                (?<=cpu|arch|tune)#{NATIVE}\b/nx
        EXPANDED = /(?<=[$({@"'])[A-Za-z_]\w+/n
        # The minimum length of a part of a name, including its "_". Shorter parts occur in too many names.
        PART = 3
        # Larger files (bytes) are data, and larger programs are not shells.
        LARGEST = 4 << 20
        # Source files of compiled languages. Except for Rust's build scripts, they do not run during a build.
        OTHERS = %r{\.(?:[chsoa]|cc|cpp|cxx|hh|hpp|mm|(?<!/build\.)rs)\z}i
        ELF = "\x7FELF".b
        # A string in programs that read the environment directly instead of with getenv, such as shells and make.
        SEARCHES = "environ\0".b
        NAME = /(?<!\w)[A-Z][A-Z0-9_]+(?!\w)/n
        # Prefixes from which cargo composes the names of its configuration variables. They cannot be read from the
        # program, because strings in Rust programs are not delimited.
        CARGO = %w[CARGO_ RUSTC RUSTC_ RUSTFLAGS].freeze

        # texts: paths of files that were read. removed: [[path, bytes]] of files that were read and deleted. programs:
        # paths of programs that ran. untraced: the programs among them whose accesses to variables were not traced.
        def self.of(texts, removed: [], programs: [], untraced: [])
          found = texts.grep_v(OTHERS).flat_map { |path| words(Content.of(path, LARGEST + 1).to_s) } +
                  removed.flat_map { |path, text| OTHERS.match?(path) ? [] : words(text) } +
                  programs.flat_map do |path|
                    path.end_with?("/cargo") ? CARGO : searched(path, untraced.include?(path))
                  end
          new(found.uniq.map { |word| number(word) }.uniq.sort)
        end

        # The words of a text. Lower-case names are also included in upper case, because they may refer to variables.
        def self.words(text)
          return [] if text.start_with?(ELF) || text.size > LARGEST

          prose, found = text.scan(WORD).uniq.partition { |word| word.include?("#") }
          found.map! { |word| word.match?(/[^\w=]/) ? "$#{word[/\w+\z/]}" : word }
          found + found.grep(/[a-z]_[a-z]/n).map!(&:upcase) + prose.flat_map { |line| line.scan(EXPANDED) }
        end

        # Cached, because the same few compilers and shells run in each build.
        def self.searched(path, untraced)
          stat = File.stat(path)
          (@searched ||= {})[[path, untraced, stat.mtime, stat.ctime]] ||= begin
            text = Content.of(path).to_s if untraced || stat.size <= LARGEST
            text && (untraced || text.include?(SEARCHES)) ? text.scan(NAME).uniq : []
          end
        rescue SystemCallError
          []
        end
        private_class_method :words, :searched

        # Parses the output of `to_s`. Any other text results in an empty set.
        def self.parse(text) = new(text.to_s.unpack1("m").unpack("N*"))

        # The hashes of all words that may refer to a variable: its whole name, or a beginning or end of it ("MY_" +
        # flavour). If the name is not a word ("my-flavour", which make accepts), the same for each word in it.
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
        def contain?(word) = number?(Words.number(word))

        # Whether one of the words may refer to the variable. Returns true for single letters.
        def mention?(name) = name.size == 1 || Words.numbers(name).any? { |number| number?(number) }

        def to_s = [@numbers.pack("N*")].pack("m0")

        private

        def number?(number) = !@numbers.bsearch { |other| number <=> other }.nil?
      end
    end
  end
end
