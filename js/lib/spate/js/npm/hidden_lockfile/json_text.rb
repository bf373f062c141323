# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class HiddenLockfile
        # JSON as npm writes its lockfiles: within an object, scalars and arrays before objects; some names first, the
        # others in English order. Reproduces JavaScript's key order and number format.
        class JSONText
          FIRST = %w[name version lockfileVersion resolved integrity requires packages dependencies]
                  .each_with_index.to_h.freeze
          # Integer keys, which JavaScript enumerates before all others.
          INDEX = /\A(?:0|[1-9]\d{0,9})\z/
          # Assigning this key sets the object's prototype in JavaScript.
          PROTOTYPE = "__proto__"
          ESCAPES = { "\"" => "\\\"", "\\" => "\\\\", "\b" => "\\b", "\f" => "\\f", "\n" => "\\n", "\r" => "\\r",
                      "\t" => "\\t" }.freeze
          TO_ESCAPE = /["\\\u0000-\u001f]/

          # indent: String for one level. newline: replaces "\n".
          def initialize(indent: "  ", newline: "\n")
            @indent = indent[0, 10]
            @newline = newline
            @keys = {}
          end

          # Returns the JSON text, with a final newline unless the indent is empty.
          def generate(value)
            text = +""
            write(text, value, @indent.empty? ? nil : "\n")
            text << "\n" unless @indent.empty?
            @newline == "\n" ? text : text.gsub("\n", @newline)
          end

          private

          def write(text, value, line)
            case value
            when Hash then write_all(text, sorted(value), line, "{", "}") do |pair, inner|
                             write_pair(text, pair, inner)
                           end
            when Array then write_all(text, value, line, "[", "]") { |item, inner| write(text, item, inner) }
            when String then write_string(text, value)
            when Float then text << number(value)
            else text << (value.nil? ? "null" : value.to_s)
            end
          end

          def write_all(text, items, line, opening, closing)
            return text << opening << closing if items.empty?

            inner = line && "#{line}#{@indent}"
            text << opening
            items.each_with_index do |item, index|
              text << "," if index.positive?
              text << inner if inner
              yield item, inner
            end
            text << line if line
            text << closing
          end

          def write_pair(text, pair, line)
            write_string(text, pair[0])
            text << (line ? ": " : ":")
            write(text, pair[1], line)
          end

          def write_string(text, value)
            text << "\"" << (value.match?(TO_ESCAPE) ? value.gsub(TO_ESCAPE) { |char| escape(char) } : value) << "\""
          end

          def escape(char) = ESCAPES[char] || format("\\u%04x", char.ord)

          def number(value)
            return value.to_i.to_s if value == value.floor && value.abs < 1e21

            value.to_s.sub(/\.0(?=e|\z)/, "").sub(/e([+-])0*/, "e\\1")
          end

          def sorted(hash)
            pairs = hash.reject { |key, _| key == PROTOTYPE }.to_a
            pairs = pairs.sort_by { |key, value| rank(key, value) } if pairs.size > 1
            pairs.any? { |key, _| INDEX.match?(key) } ? numbers_first(pairs) : pairs
          end

          def rank(key, value) = [value.is_a?(Hash) ? 1 : 0, FIRST[key] || 99, @keys[key] ||= Collation.key(key)]

          def numbers_first(pairs)
            numbers, others = pairs.partition { |key, _| INDEX.match?(key) && key.to_i < 4_294_967_295 }
            numbers.sort_by { |key, _| key.to_i } + others
          end
        end
      end
    end
  end
end
