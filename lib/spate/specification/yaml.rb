# frozen_string_literal: true

module Spate
  module Specification
    # A gem's metadata as Ruby objects, without Psych: the core reads the YAML structure written by RubyGems, and Scalar
    # reads everything beyond plain words. Neither guesses: unless both are certain to read the same as Psych, the
    # result for the whole text is nil, and RubyGems reads it.
    module Yaml
      autoload :Limits, "spate/specification/yaml/limits"
      autoload :Scalar, "spate/specification/yaml/scalar"

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
