# frozen_string_literal: true

require "psych"

module Spate
  module Specification
    # A gem's metadata as Ruby objects, without Psych: the core reads the YAML structure written by RubyGems, and Scalar
    # reads everything beyond plain words. Neither guesses: unless both are certain to read the same as Psych, the
    # result for the whole text is nil, and RubyGems reads it.
    module Yaml
      autoload :Scalar, "spate/specification/yaml/scalar"

      # Limits the cost of a YAML text, since a few bytes can exhaust memory: nested aliases may expand to billions of
      # texts, which RubyGems would write out, and libyaml's time grows with the square of the nesting. Checks the
      # events of a text before anything is built from it.
      class Limits < Psych::Handler
        # Estimated bytes of expanded aliases. Gems share a requirement between dependencies, which needs some hundreds
        # of aliases.
        LIMIT = 16 << 20
        NODE = 16
        # Maximum nesting. Psych's own visitor overflows Ruby's stack from about a tenth of this.
        DEEPEST = 10_000

        # yaml: String. Raises Gem::InstallError.
        def self.check(yaml)
          Psych::Parser.new(new).parse(yaml)
        rescue Psych::SyntaxError
          nil # RubyGems reports the error
        end

        def initialize
          super
          @weights = [0] # one number for each open collection
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
          refuse("it is nested more than #{DEEPEST} levels deep") if @anchors.size > DEEPEST
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

      # Tagged texts, as written by Psych in 2010.
      MARKED = /^ *(?:- )*(?:[\w-]+: )?! /

      # text: String. Returns a Tagged of Hash, Array, Tagged and scalars (see Yaml::Scalar), or nil. The lists "files"
      # and "test_files", which no installed gemspec contains, are empty. Requirements are shared between gems. psych:
      # whether this RubyGems reads like Psych. RubyGems 4.1 has its own reader, which keeps quotes in multi-line texts,
      # ends some texts at an empty line, and treats characters as bytes.
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
