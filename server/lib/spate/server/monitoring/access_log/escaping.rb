# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      class AccessLog
        # What a peer sent, so that it cannot end its line or its field.
        module Escaping
          # Of ASCII.
          MARKED = /["\\\x00-\x1f\x7f]/
          STRANGE = /["\\]|[^ -~]/n

          module_function

          # As a string of JSON, with its quotes. Bytes that are no UTF-8 become U+FFFD.
          def json(text)
            return "null" if text.nil?
            return "\"#{text}\"" if plain?(text)

            clean = text.dup.force_encoding(Encoding::UTF_8).scrub("\u{fffd}")
            "\"#{clean.gsub(/["\\\u0000-\u001f\u007f\u2028\u2029]/) { |char| json_char(char) }}\""
          end

          # As Apache's log has it: quotes, backslashes and all that is not printable ASCII as \xHH; "-" for nothing.
          def quoted(text)
            return "\"-\"" if text.nil? || text.empty?

            return "\"#{text}\"" if plain?(text)

            "\"#{text.b.gsub(STRANGE) { |byte| format("\\x%02X", byte.ord) }}\""
          end

          def plain?(text) = text.ascii_only? && !text.match?(MARKED)

          def json_char(char)
            char == '"' || char == "\\" ? "\\#{char}" : format("\\u%04x", char.ord)
          end
          private_class_method :json_char, :plain?
        end
      end
    end
  end
end
