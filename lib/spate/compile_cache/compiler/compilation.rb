# frozen_string_literal: true

require "rbconfig"

module Spate
  module CompileCache
    class Compiler
      # Compiles files as `require` does, without running them: loads a file and aborts the load as soon as Ruby has
      # compiled it. So parser, options, label ("<top (required)>") and real path are the same as for a real load.
      # RubyVM::InstructionSequence.compile_file uses a different label and, in some Ruby versions, a different parser.
      #
      # Must run in a separate process, because it silences all warnings.
      class Compilation
        # Folders of Ruby, whose paths on $LOAD_PATH are in the locale's encoding. RubyGems and Bundler add paths in
        # UTF-8. If a program loads a path in a different encoding, Ruby compiles the file.
        LIBRARY = RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir", "sitelibdir", "sitearchdir", "vendorlibdir",
                                             "vendorarchdir").map { |folder| "#{folder}/" }.freeze
        # Smaller blobs (bytes, without paths) may belong to an empty file, whose blob has about 200 bytes.
        SMALL = 400

        # encoding: the encoding of all paths, or nil to determine it for each path (see LIBRARY).
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

        # Raises SyntaxError if the file has a syntax error. Ruby up to 3.3 compiles such a file as an empty one and
        # raises the error afterwards.
        def check(path) = RubyVM::InstructionSequence.compile_file(path)

        # The disassembly of an empty file has a heading and two instructions.
        def empty?(sequence) = sequence.disasm.lines.size <= 3

        def listen
          # Programs may enable these categories.
          %i[deprecated experimental].each { |category| Warning[category] = true }
          count = -> { @warnings += 1 }
          Warning.define_singleton_method(:warn) { |*, **| count.call }
        end
      end
    end
  end
end
