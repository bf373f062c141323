# frozen_string_literal: true

module Spate
  module Boot
    # What a compiled file depends on besides its source, as one short key: images of one Ruby are never read by
    # another, nor by the same Ruby with other compile options. A JIT compiles what the parser made: it does not count.
    module RubyKey
      # Raised when blobs are made in another way.
      FORMAT = "spate-boot 1"
      # "+YJIT", "+YJIT dev", "+MJIT"; "+PRISM" is a parser and stays.
      JIT = / \+[A-Z]?JIT(?: (?:dev|dev_nodebug|stats))*(?= )/

      module_function

      # 32 hex digits.
      def current = @current ||= Native.content_hash(nil, text)

      def text
        [FORMAT, RUBY_DESCRIPTION.gsub(JIT, ""), RUBY_PLATFORM, options.sort.join("\n")].join("\n")
      end

      # ["frozen_string_literal=false", ...]
      def options = RubyVM::InstructionSequence.compile_option.map { |name, value| "#{name}=#{value}" }
    end
  end
end
