# frozen_string_literal: true

require "psych"

module Spate
  module JS
    module Pnpm
      # Parses the YAML that pnpm writes and reads with libyaml: mappings, sequences and scalars, plus aliases and "<<",
      # which users write. Rejects tags, and input that is too large or too deep. Scalars stay strings, except a plain
      # true, false or null.
      #
      # Uses the parser's events: Psych.safe_load takes three times as long for the same text.
      class Yaml < Psych::Handler
        DEEPEST = 64
        # Maximum number of values that all aliases together may expand to: a few lines of nested aliases can expand to
        # billions.
        MOST = 100_000
        MERGE = "<<"
        PLAIN = { "true" => true, "false" => false, "null" => nil, "~" => nil, "" => nil }.freeze

        class Refused < StandardError; end

        # [Object, ...], one per document. path: for messages. Raises LockfileError.
        def self.documents(text, path)
          handler = new
          Psych::Parser.new(handler).parse(text)
          handler.documents
        rescue Psych::SyntaxError, Refused, EncodingError, ArgumentError => e
          raise LockfileError.new("#{path}: #{ErrorSummary.of(e)}", hint: "compare it with its last commit")
        end

        # The only document; {} if it is empty.
        def self.mapping(text, path)
          found = documents(text, path).last
          found = {} if found.nil?
          found.is_a?(Hash) ? found : raise(LockfileError, "#{path}: expected a mapping, found #{Reading.kind(found)}")
        end

        attr_reader :documents

        def initialize
          super
          @documents = []
          @open = []
          @keys = []
          @names = []
          @anchors = {}
          @room = MOST
        end

        def start_mapping(anchor, tag, _implicit, _style) = enter({}, anchor, tag)
        def start_sequence(anchor, tag, _implicit, _style) = enter([], anchor, tag)

        def end_mapping
          mapping = @open.last
          merge(mapping, mapping.delete(MERGE)) if mapping.key?(MERGE)
          end_sequence
        end

        # Registers the anchor after its value is complete, so that an alias within the value is an error.
        def end_sequence
          value = @open.pop
          @keys.pop
          name = @names.pop and @anchors[name] = value
        end

        def scalar(value, anchor, tag, plain, _quoted, _style)
          untagged(tag)
          value = PLAIN.fetch(value, value) if plain && value.size < 6
          @anchors[anchor] = value if anchor
          add(value)
        end

        def alias(name)
          value = @anchors.fetch(name) { raise Refused, "*#{name}: expected an alias of a complete earlier value" }
          @room -= size(value)
          raise Refused, "aliases expand to more than #{MOST} values" if @room.negative?

          add(value)
        end

        private

        def untagged(tag)
          raise Refused, "unexpected tag #{tag}: pnpm writes none" if tag && tag != "!"
        end

        def enter(container, anchor, tag)
          untagged(tag)
          raise Refused, "nested deeper than #{DEEPEST} levels" if @open.size >= DEEPEST

          add(container)
          @open << container
          @keys << nil
          @names << anchor
        end

        # The first of several mappings takes precedence, and the mapping's own keys take precedence over all.
        def merge(mapping, others)
          others = [others] unless others.is_a?(Array)
          raise Refused, "#{MERGE}: expected mappings" unless others.all?(Hash)

          others.each { |other| mapping.merge!(other) { |_, own, _| own } }
        end

        def size(value)
          case value
          when Hash then value.each_value.sum(1) { |each| size(each) }
          when Array then value.sum(1) { |each| size(each) }
          else 1
          end
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

          raise Refused, "duplicate key #{key.inspect}" if mapping.key?(key)

          mapping[key] = value
          @keys[-1] = nil
        end

        def key_of(value)
          return value if value.is_a?(String)
          return value.to_s unless value.nil? || value.is_a?(Hash) || value.is_a?(Array)

          raise Refused, "a key that is not a string"
        end
      end
    end
  end
end
