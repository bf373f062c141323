# frozen_string_literal: true

require "rbconfig"

module Spate
  module CompileCache
    class Compiler
      # Compiles files like `require` without running them: loads the file and aborts the load as soon as Ruby has
      # compiled it. So parser, options, label ("<top (required)>") and real path are those of a real load;
      # RubyVM::InstructionSequence.compile_file uses another label, and on some Rubies another parser.
      #
      # Use it only in a separate process, because it silences all warnings.
      class Compilation
        # Ruby's own load path is in the locale's encoding; RubyGems and Bundler add paths in UTF-8. If a program
        # requests a path in another encoding, the loader leaves the file to Ruby.
        LIBRARY = RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir", "sitelibdir", "sitearchdir", "vendorlibdir",
                                             "vendorarchdir").map { |folder| "#{folder}/" }.freeze
        # The maximum size in bytes, without paths, of a blob that may be that of an empty file (some 200 bytes).
        SMALL = 400

        # encoding: of all paths; nil: see LIBRARY.
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

        # Returns [flags, blob]. The blob is empty if Ruby always warns about the file or cannot compile it.
        def call(path)
          blob = compile(path, verbose: true)
          return [0, blob] if @warnings.zero?

          blob = compile(path, verbose: false)
          @warnings.zero? ? [Native::CompileCache::WARNS_VERBOSE, blob] : [Native::CompileCache::WARNS, ""]
        rescue ScriptError, StandardError, NoMemoryError, SystemStackError
          [Native::CompileCache::WARNS, ""]
        end

        private

        def compile(path, verbose:)
          $VERBOSE = verbose
          @warnings = 0
          @sequence = nil
          path = path.dup.force_encoding(encoding_of(path)) # the encoding of __FILE__
          catch(:spate_compiled) { load(path) }
          blob = @sequence.to_binary
          check(path) if blob.bytesize < SMALL + (2 * path.bytesize) && empty?(@sequence)
          blob
        ensure
          @sequence = nil
        end

        def encoding_of(path) = @encoding || (path.start_with?(*LIBRARY) ? Boot::RubyKey::LOCALE : Encoding::UTF_8)

        # Up to Ruby 3.3, Ruby compiles a file with a syntax error as if it were empty and raises the error afterwards.
        # Raises SyntaxError.
        def check(path) = RubyVM::InstructionSequence.compile_file(path)

        # An empty file consists of a heading and two instructions.
        def empty?(sequence) = sequence.disasm.lines.size <= 3

        def listen
          # A program may enable these categories.
          %i[deprecated experimental].each { |category| Warning[category] = true }
          count = -> { @warnings += 1 }
          Warning.define_singleton_method(:warn) { |*, **| count.call }
        end
      end
    end
  end
end
