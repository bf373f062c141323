# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      module Child
        # Words of a Gemfile, or a gemspec, that no hook can hear: they ask how this program was started, and it is
        # another each time; or they leave something that the stand-in would not.
        module Words
          # The idiom of a library that is a program, too, is of no account.
          PROGRAM = /\b__FILE__\s*==\s*\$(?:0|PROGRAM_NAME)|\$(?:0|PROGRAM_NAME)\s*==\s*__FILE__/
          # Constants that every Ruby with a bundle has, or none of this kind.
          ALIKE = /(?:RUBY_\w+|RbConfig|Gem|Bundler|JRUBY_VERSION|JRuby|Java|Rubinius|RBX|TruffleRuby|Truffle)\b/
          REASONS = {
            /\bARGV\b|\$\*|\$0\b|\$PROGRAM_NAME\b|\bARGF\b/ => "asks which program runs",
            /\$(?:VERBOSE|DEBUG|-\w)/ => "asks how Ruby was started",
            /\$std(?:in|out|err)\b|\bSTD(?:IN|OUT|ERR)\b/ => "asks where the program's output goes",
            /\bEncoding\b/ => "asks for the locale's encoding",
            /\bObjectSpace\b|\bRubyVM\b|\bset_trace_func\b|\bTracePoint\b/ => "looks into the process",
            /\$LOADED_FEATURES\b|(?<![^\s(\[{!&|=,;])\$"\s*\./ => "asks what is loaded",
            /\bdefined\?[\s(]*(?:::)?(?!#{ALIKE})[A-Z]|\bconst(?:ants\b|_defined\?|_(?:get|source_location)\b)/ =>
              "asks what is defined",
            /(?<![\w@$])\$[a-z]\w*\s*(?:\|\||&&|[-+*|&])?=(?![=~])/ => "sets a global variable"
          }.freeze
          # RubyGems' own text of a specification: what its strings hold nobody asks ("--exclude=\\.o$".freeze).
          INSTALLED = /\A# -\*- encoding: utf-8 -\*-\n# stub: /
          STRING = /"(?:[^"\\#]|\\.|#(?![{$@]))*"/
          RUBY = /\.(?:rb|gemspec)\z|\A[^.]*\z/

          module_function

          # Reasons (String) not to stand in for what these files say; those of other kinds do not count.
          def reasons(paths)
            paths.select { |path| File.basename(path).match?(RUBY) }.flat_map { |path| of(text(path)) }.uniq
          end

          def of(text)
            text = text.gsub(STRING, '""') if text.match?(INSTALLED)
            code = text.gsub(/^\s*#.*$/, "").gsub(PROGRAM, "")
            REASONS.select { |pattern, _| code.match?(pattern) }.values
          end

          def text(path)
            File.read(path, mode: "rb").force_encoding(Encoding::UTF_8).scrub
          rescue SystemCallError
            ""
          end
        end
      end
    end
  end
end
