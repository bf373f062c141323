# frozen_string_literal: true

module Spate
  module Zlib
    class GzipFile
      # Interprets the options external_encoding:, internal_encoding:, encoding: and those of String#encode like IO.new.
      class Encodings
        NAMES = %i[encoding external_encoding internal_encoding].freeze

        # target: the encoding of the program's strings. source: the encoding of the file; nil if it is the same.
        attr_reader :target, :source

        def initialize(options)
          @target = Encoding.default_external
          if options.key?(:external_encoding) || options.key?(:internal_encoding)
            choose(encoding(options[:external_encoding]), internal(options))
          elsif options[:encoding]
            choose_by_name(options[:encoding])
          end
          @options = options.reject { |name, _| NAMES.include?(name) }
          @converter = Encoding::Converter.new(@source, @target, **@options) if @source&.dummy?
        end

        # Whether the file's encoding is stateful (ISO-2022-JP). One converter is then used for all strings.
        def stateful? = !@converter.nil?

        def rewind
          @converter &&= Encoding::Converter.new(@source, @target, **@options)
        end

        # Converts bytes of the file to a String for the program. Returns the bytes unchanged if they cannot be
        # converted.
        def decode(bytes)
          return bytes.force_encoding(@target) unless @source
          return decode_partial(bytes) if @converter
          return bytes.force_encoding(@target) if @target == Encoding::BINARY || same_in_both?(bytes)

          begin
            bytes.encode(@target, @source, **@options)
          rescue EncodingError
            bytes
          end
        end

        def encode(string)
          return string if @source.nil? || @source == Encoding::BINARY || @source == string.encoding

          begin
            string.encode(@source)
          rescue EncodingError
            string
          end
        end

        private

        def same_in_both?(bytes)
          @source.ascii_compatible? && @target.ascii_compatible? && bytes.ascii_only?
        end

        def decode_partial(bytes)
          converted = String.new(encoding: @target)
          @converter.primitive_convert(bytes.dup, converted, nil, nil, partial_input: true)
          raise @converter.last_error if @converter.last_error

          converted
        end

        def choose_by_name(name)
          return choose(encoding(name), nil) unless name.respond_to?(:to_str)

          external, internal = name.to_str.split(":", 2)
          external = external.sub(/\ABOM\|/i, "")
          internal = internal && internal != "-" ? Encoding.find(internal) : internal && false
          choose(external == "-" ? nil : Encoding.find(external), internal)
        end

        # nil: not given; false: explicitly none.
        def internal(options)
          return unless options.key?(:internal_encoding)

          name = options[:internal_encoding]
          name.nil? || name == "-" ? false : encoding(name)
        end

        def encoding(name)
          name.nil? || name.is_a?(Encoding) ? name : Encoding.find(name)
        end

        def choose(external, internal)
          external ||= Encoding.default_external
          internal = Encoding.default_internal if internal.nil?
          if external == Encoding::BINARY || !internal || internal == external
            @target = external
          else
            @target = internal
            @source = external
          end
        end
      end
    end
  end
end
