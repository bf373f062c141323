# frozen_string_literal: true

require "psych"

module Spate
  module Specification
    # Parses a gem's metadata without Psych. The core parses the YAML structure as written by RubyGems, and Scalar
    # parses all scalars that are not plain words. If the result might differ from Psych's, the whole result is nil, and
    # RubyGems parses the text.
    module Yaml
      autoload :Scalar, "spate/specification/yaml/scalar"

      # Limits the cost of parsing YAML. A few bytes can exhaust memory, since nested aliases may expand to billions of
      # strings, which RubyGems would write out. Also, libyaml's time is quadratic in the nesting depth. Checks the
      # events of a text before any object is created.
      class Limits < Psych::Handler
        # The maximum estimated size of expanded aliases in bytes. Real gems have up to some hundreds of aliases, for
        # requirements shared by dependencies.
        LIMIT = 16 << 20
        NODE = 16
        # The maximum nesting depth. Psych's visitor overflows Ruby's stack at about a tenth of this.
        MAX_DEPTH = 10_000

        # yaml: String. Raises Gem::InstallError.
        def self.check(yaml)
          Psych::Parser.new(new).parse(yaml)
        rescue Psych::SyntaxError
          nil # RubyGems reports the error
        end

        def initialize
          super
          @weights = [0] # one weight for each open collection
          @anchors = []
          @known = {}
          @added = 0
        end

        def scalar(value, anchor, *) = weigh(NODE + value.bytesize, anchor)

        def alias(anchor)
          @added += weigh(@known.fetch(anchor, 0), nil)
          refuse("its aliases expand to more than #{LIMIT >> 20} MiB") if @added > LIMIT
        end

        def start_sequence(anchor, *) = start(anchor)
        def start_mapping(anchor, *) = start(anchor)
        def end_sequence = finish
        def end_mapping = finish

        private

        def start(anchor)
          @anchors << anchor
          @weights << NODE
          refuse("it is nested more than #{MAX_DEPTH} levels deep") if @anchors.size > MAX_DEPTH
        end

        def finish = weigh(@weights.pop, @anchors.pop)

        def weigh(bytes, anchor)
          @known[anchor] = bytes if anchor
          @weights[-1] += bytes
          bytes
        end

        def refuse(words) = raise(Gem::InstallError, words)
      end

      # A mapping with a tag: Tagged["Gem::Version", { "version" => "1.0" }]
      Tagged = Struct.new(:tag, :fields)

      # Matches tagged strings, which Psych wrote in 2010.
      MARKED = /^ *(?:- )*(?:[\w-]+: )?! /

      # Returns a Tagged that contains Hashes, Arrays, Tagged objects and scalars (see Yaml::Scalar), or nil. The lists
      # "files" and "test_files" are empty, since installed gemspecs do not contain them. Requirements are shared
      # between gems. text: String. psych: whether this RubyGems reads like Psych. RubyGems 4.1 has its own reader,
      # which preserves quotes in multi-line strings, ends some strings at an empty line, and treats characters as
      # bytes.
      def self.read(text, psych: true)
        return if text.encoding != Encoding::UTF_8 || (!psych && (!text.ascii_only? || MARKED.match?(text)))

        catch(:unsure) do
          return Native.metadata(text, Tagged) do |style, scalar, indent|
            Scalar.simple_lines(style, scalar) unless psych
            Scalar.read(style, scalar, indent)
          end
        end
        nil
      end
    end
  end
end
