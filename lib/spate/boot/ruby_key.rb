# frozen_string_literal: true

require_relative "../util"

module Spate
  module Boot
    # The inputs of compiled code except its source, as one short key: compile caches of one Ruby are never read by
    # another, nor by the same Ruby with other compile options or in a locale of another encoding. A JIT compiles what
    # the parser made, so it does not count.
    module RubyKey
      # Increased when the format of blobs changes.
      FORMAT = "spate-boot 1"
      # Computed when this is loaded: CompileCache::Compiler loads no other file of Spate while it compiles.
      RUBY = Util::Ruby.description

      # Of __FILE__ in Ruby's own library.
      LOCALE = Encoding.find("locale")
      # -K changes that of files without an encoding comment, like this file.
      SOURCE = __ENCODING__

      module_function

      # 32 hex digits.
      def current = @current ||= Native.content_hash(nil, text)

      def text
        [FORMAT, RUBY, RUBY_PLATFORM, LOCALE, *options.sort].join("\n")
      end

      # Why Ruby was started in a way that compile caches cannot reproduce (String), nil if it was not.
      def obstacle
        return "-K gives code another encoding" if SOURCE != Encoding::UTF_8

        debug = RubyVM::InstructionSequence.compile_option[:debug_frozen_string_literal]
        "frozen string errors are to show where the string was created (--debug-frozen-string-literal)" if debug
      end

      # ["frozen_string_literal=false", ...]
      def options = RubyVM::InstructionSequence.compile_option.map { |name, value| "#{name}=#{value}" }
    end
  end
end
