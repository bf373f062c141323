# frozen_string_literal: true

require "rbconfig"

module Spate
  module Boot
    class Compiler
      # Compiles files as `require` does, without running them: the file is loaded, and the load left as soon as Ruby
      # has compiled it. So parser, options, label ("<top (required)>") and real path are those of a real load;
      # RubyVM::InstructionSequence.compile_file differs in the label, and on some Rubies in the parser.
      #
      # Only for a process of its own: it silences all warnings.
      class Compilation
        # As an image's entry has them.
        WARNS = 1
        WARNS_VERBOSE = 2
        # What Ruby has on its load path by itself, in the locale's encoding; RubyGems and Bundler add names in UTF-8.
        # Where a program asks in another one, the loader leaves the file to Ruby.
        LIBRARY = RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir", "sitelibdir", "sitearchdir", "vendorlibdir",
                                             "vendorarchdir").map { |folder| "#{folder}/" }.freeze
        # Bytes of a blob, paths aside, up to which it may be that of an empty file (some 200).
        SMALL = 400

        # encoding: of all paths, nil: see above.
        def initialize(encoding: nil)
          @encoding = encoding
          @warnings = 0
          listen
          @point = TracePoint.new(:script_compiled) do |point|
            @sequence = point.instruction_sequence
            throw :spate_compiled
          end
          @point.enable
        end

        # Answers [flags, blob]: an empty blob where Ruby always warns of the file, or cannot compile it.
        def call(path)
          blob = compile(path, verbose: true)
          return [0, blob] if @warnings.zero?

          blob = compile(path, verbose: false)
          @warnings.zero? ? [WARNS_VERBOSE, blob] : [WARNS, ""]
        rescue ScriptError, StandardError, NoMemoryError, SystemStackError
          [WARNS, ""]
        end

        private

        def compile(path, verbose:)
          $VERBOSE = verbose
          @warnings = 0
          @sequence = nil
          path = path.dup.force_encoding(encoding_of(path)) # that of __FILE__
          catch(:spate_compiled) { load(path) }
          blob = @sequence.to_binary
          check(path) if blob.bytesize < SMALL + (2 * path.bytesize) && empty?(@sequence)
          blob
        ensure
          @sequence = nil
        end

        def encoding_of(path) = @encoding || (path.start_with?(*LIBRARY) ? RubyKey::LOCALE : Encoding::UTF_8)

        # Up to Ruby 3.3 a file with a syntax error is compiled as if it were empty, and the error raised after that.
        # Raises SyntaxError.
        def check(path) = RubyVM::InstructionSequence.compile_file(path)

        # Nothing but `nil` is a heading and two instructions.
        def empty?(sequence) = sequence.disasm.lines.size <= 3

        def listen
          # A program may turn these on for itself.
          %i[deprecated experimental].each { |category| Warning[category] = true }
          count = -> { @warnings += 1 }
          Warning.define_singleton_method(:warn) { |*, **| count.call }
        end
      end
    end
  end
end
