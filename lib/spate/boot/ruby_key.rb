# frozen_string_literal: true

require_relative "../util"

module Spate
  module Boot
    # A short key of all inputs of compiled code except the source: a compile cache is never read by another Ruby, nor
    # by the same Ruby with other compile options or another locale encoding. A JIT compiles the parser's output, so it
    # is not part of the key.
    module RubyKey
      # Increment when the format of blobs changes.
      FORMAT = "spate-boot 1"
      # Computed at load time, because CompileCache::Compiler loads no other file of Spate while it compiles.
      RUBY = Util::Ruby.description

      # The encoding of __FILE__ in Ruby's own library.
      LOCALE = Encoding.find("locale")
      # -K changes the encoding of files without an encoding comment, like this one.
      SOURCE = __ENCODING__

      module_function

      # 32 hex digits.
      def current = @current ||= of(LOCALE)

      # The key in another locale encoding.
      def of(locale) = Native.content_hash(nil, text(locale))

      def text(locale = LOCALE)
        [FORMAT, RUBY, RUBY_PLATFORM, locale, *options.sort].join("\n")
      end

      # The reason (String) why compile caches cannot reproduce the way in which Ruby was started, or nil.
      def obstacle
        return "Ruby compiles with another encoding (-K)" if SOURCE != Encoding::UTF_8

        debug = RubyVM::InstructionSequence.compile_option[:debug_frozen_string_literal]
        "errors about frozen strings show where the string was created (--debug-frozen-string-literal)" if debug
      end

      # ["frozen_string_literal=false", ...]
      def options = RubyVM::InstructionSequence.compile_option.map { |name, value| "#{name}=#{value}" }
    end
  end
end
