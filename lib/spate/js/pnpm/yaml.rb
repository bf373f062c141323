# frozen_string_literal: true

require "psych"

module Spate
  module JS
    module Pnpm
      # The YAML that pnpm writes and reads: mappings, sequences and scalars, by libyaml's parser. Anchors, aliases and
      # tags are refused, as is what is too large or too deep; a scalar stays the text that it is, unless it is a plain
      # true, false or null.
      #
      # Straight from the parser's events: Psych.safe_load takes three times as long for the same text.
      class Yaml < Psych::Handler
        DEEPEST = 64
        PLAIN = { "true" => true, "false" => false, "null" => nil, "~" => nil, "" => nil }.freeze

        class Refused < StandardError; end

        # [Object, ...]: a document each. path: for messages. Raises LockfileError.
        def self.documents(text, path)
          handler = new
          Psych::Parser.new(handler).parse(text)
          handler.documents
        rescue Psych::SyntaxError, Refused, EncodingError, ArgumentError => e
          raise LockfileError.new("#{path}: #{FirstWords.of(e)}", hint: "compare it with its last commit")
        end

        # The only document, {} for an empty one.
        def self.mapping(text, path)
          found = documents(text, path).last
          found = {} if found.nil?
          found.is_a?(Hash) ? found : raise(LockfileError, "#{path}: expected a mapping, found #{found.class}")
        end

        attr_reader :documents

        def initialize
          super
          @documents = []
          @open = []
          @keys = []
        end

        def start_mapping(anchor, tag, _implicit, _style)
          plain(anchor, tag)
          enter({})
          @keys << nil
        end

        def end_mapping
          @open.pop
          @keys.pop
        end

        def start_sequence(anchor, tag, _implicit, _style)
          plain(anchor, tag)
          enter([])
          @keys << nil
        end

        alias end_sequence end_mapping

        def scalar(value, anchor, tag, plain, _quoted, _style)
          plain(anchor, tag)
          value = PLAIN.fetch(value, value) if plain && value.size < 6
          add(value)
        end

        def alias(name)
          raise Refused, "an alias (*#{name}) is not what pnpm writes"
        end

        private

        def plain(anchor, tag)
          raise Refused, "an anchor (&#{anchor}) is not what pnpm writes" if anchor
          raise Refused, "a tag (#{tag}) is not what pnpm writes" if tag && tag != "!"
        end

        def enter(container)
          raise Refused, "nested deeper than #{DEEPEST} levels" if @open.size >= DEEPEST

          add(container)
          @open << container
        end

        def add(value)
          case container = @open.last
          when Hash then pair(container, value)
          when Array then container << value
          else @documents << value
          end
        end

        def pair(mapping, value)
          key = @keys.last
          return @keys[-1] = key_of(value) if key.nil?

          raise Refused, "#{key.inspect} stands there twice" if mapping.key?(key)

          mapping[key] = value
          @keys[-1] = nil
        end

        def key_of(value)
          return value if value.is_a?(String)
          return value.to_s unless value.nil? || value.is_a?(Hash) || value.is_a?(Array)

          raise Refused, "a key that is no text"
        end
      end
    end
  end
end
