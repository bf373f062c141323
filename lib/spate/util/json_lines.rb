# frozen_string_literal: true

module Spate
  module Util
    # Prints events as JSON (RFC 8259), one per line. Does not use the json library, because loading it takes longer
    # than a whole run with nothing to do.
    class JsonLines
      ESCAPES = { "\"" => "\\\"", "\\" => "\\\\", "\n" => "\\n", "\r" => "\\r", "\t" => "\\t" }.freeze
      # DEL and C1 are valid in JSON, but they are escaped too, because a terminal may show the lines.
      NEEDS_ESCAPE = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/

      def self.generate(value)
        case value
        when nil, true, false, Integer then value.nil? ? "null" : value.to_s
        when Float then value.finite? ? value.round(6).to_s : "null"
        when Hash then "{#{value.map { |key, item| "#{string(key.to_s)}:#{generate(item)}" }.join(",")}}"
        when Array then "[#{value.map { |item| generate(item) }.join(",")}]"
        else string(value.to_s)
        end
      end

      def self.string(text)
        text = text.dup.force_encoding(Encoding::UTF_8).scrub("\u{fffd}")
        "\"#{text.gsub(NEEDS_ESCAPE) { |char| ESCAPES[char] || format("\\u%04x", char.ord) }}\""
      end
      private_class_method :string

      def initialize(out)
        @out = out
      end

      # Receives an event from Spate::Events.
      def call(event)
        @out.puts JsonLines.generate(event)
        @out.flush
      end

      # Called when the command ends. Other listeners redraw the terminal.
      def finish = nil
    end
  end
end
