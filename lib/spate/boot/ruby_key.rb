# frozen_string_literal: true

require_relative "../util"

module Spate
  module Boot
    # A hash of everything that determines compiled code, except the source: the Ruby, its compile options and its
    # locale encoding. A compile cache is read only by a Ruby with the same key. The JIT is not part of the key, because
    # it compiles bytecode.
    module RubyKey
      # Increment when the format of blobs changes.
      FORMAT = "spate-boot 1"
      # Computed at load time, because CompileCache::Compiler loads no other file of Spate while it compiles.
      RUBY = Util::Ruby.description

      # The encoding of __FILE__ in the standard library.
      LOCALE = Encoding.find("locale")
      # -K changes the source encoding of files without an encoding comment, such as this file.
      SOURCE = __ENCODING__

      module_function

      # 32 hex digits.
      def current = @current ||= of(LOCALE)

      # The key in a different locale encoding.
      def of(locale) = Native.content_hash(nil, text(locale))

      def text(locale = LOCALE)
        [FORMAT, RUBY, RUBY_PLATFORM, locale, *options.sort].join("\n")
      end

      # Returns the reason (String) why compile caches cannot be used with Ruby's command-line options, or nil.
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
