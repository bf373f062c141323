# frozen_string_literal: true

module Spate
  module Gemfile
    module Child
      # Finds in a script's compiled instructions, as Ruby prints them, what they read from or leave in their process:
      # how it was started, what it has loaded. A program that sets up its bundle is another process than Bundler's.
      class Instructions
        CONSTANT = /^\d+ (?:getconstant|opt_getconstant_path) .*\b/
        GLOBAL = /^\d+ getglobal +:\$/
        # Except for constants that every Ruby with a bundle has, or no CRuby has.
        NAMED = /:(?!(?:RUBY_\w+|RbConfig|Gem|Bundler|JRUBY_VERSION|JRuby|Java|Rubinius|RBX|TruffleRuby|Truffle)\b)/
        # Of Bundler and RubyGems: the original environment, the date; whether a JIT is switched on.
        STATE = /#{CONSTANT}(ORIGINAL_ENV|TODAY|STDIN|RUBY_DESCRIPTION)\b/
        # Local to a method or thread.
        PASSING = %r{\$(?:[~_!;,/:\d&`'+]|LOAD_PATH)(?!\S)}
        REASONS = {
          "asks which program runs" => /#{CONSTANT}(?:ARGV|ARGF)\b|#{GLOBAL}(?:\*|0|PROGRAM_NAME)(?!\S)/,
          "asks where the program's output goes" => /#{CONSTANT}STD(?:IN|OUT|ERR)\b|#{GLOBAL}std(?:in|out|err)\b/,
          "asks for the locale's encoding" => /#{CONSTANT}Encoding\b/,
          "looks into the process" => /#{CONSTANT}(?:ObjectSpace|RubyVM|TracePoint|TOPLEVEL_BINDING)\b/,
          "asks how Ruby was started" => /#{GLOBAL}(?:VERBOSE|DEBUG|-\w)(?!\S)/,
          # Ruby itself calls this for every exception that is raised.
          "asks who called" => /^\d+\ (?:(?:opt_)?send\w*\ .*mid:backtrace,|putobject\ +:backtrace\b)/,
          "asks what is loaded" => /#{GLOBAL}(?:LOADED_FEATURES|")(?!\S)/,
          "asks what is defined" => /^\d+\ (?:defined\ +constant,\ #{NAMED}|
                                     putobject\ +Object\b.*\n\d+\ defined\ +constant-from,\ #{NAMED}|
                                     (?:opt_)?send\w*\ .*mid:(?:constants|const_get|const_defined\?|
                                     const_source_location),)/x,
          "waits for the program's end" => /mid:core#set_postexe,/,
          "sets a global variable" => /^\d+ setglobal +:(?!#{PASSING})/
        }.freeze

        # Instructions that compute a default value without a call; the mark of the first instruction after the
        # defaults.
        QUIET = /(?:put|dup|new|[gs]etlocal|checkkeyword|branch|expandarray|nop|pop)\w*(?=[ \n])/
        BODY = /.*\[\w*(?:Ca|Bc)/
        DEFAULTS = /local\ table\ .*\[(?:opts:\ [1-9]|.*kw:\ [1-9]).*\n (?:[|\ ]*\[.*\n)*
                    (?:[|\ ]*\d+\ #{QUIET}(?!#{BODY}).*\n)* [|\ ]*\d+\ (?!#{QUIET}|#{BODY})/x

        # [String] Ruby's own global variables that are read, except the program's name; and constants whose values
        # cannot be traced.
        attr_reader :globals
        # [String] what is read, or left behind.
        attr_reader :reasons
        # Whether a parameter's default value makes a call, which happens before the method's own call is traced.
        attr_reader :defaults

        def initialize(sequence)
          @globals = @reasons = []
          text = sequence.disasm.b
          @defaults = DEFAULTS.match?(text)
          search(text, sequence.path) if WORDS.any? { |word| text.include?(word) }
        end

        # Every pattern contains one of these; most Gemfiles have none.
        WORDS = %w[const global backtrace postexe].freeze
        RUBYS = global_variables.map(&:to_s).freeze
        private_constant :WORDS, :RUBYS

        private

        def search(text, path)
          # `__FILE__ == $0` only reads a fact about the file itself.
          file = /^\d+ put\w+ +#{Regexp.escape(path.inspect.b)}.*\n/
          variable = /#{GLOBAL}.*\n/
          # Instructions of `rescue` and `ensure` are printed with a margin.
          text = text.gsub(/^(?:\| )+/, "").gsub(/#{file}#{variable}|#{variable}#{file}/, "")
          names = text.scan(/^\d+ getglobal +:(\S+)/).flatten.uniq.grep_v(/\A#{PASSING}/)
          rubys, others = names.partition { |name| RUBYS.include?(name) }
          @globals = (rubys - %w[$0 $PROGRAM_NAME]) + text.scan(STATE).flatten
          @reasons = REASONS.filter_map { |reason, pattern| reason if pattern.match?(text) } +
                     others.map { |name| "reads #{name}, which a program may have set" }
        end
      end
    end
  end
end
