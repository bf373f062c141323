# frozen_string_literal: true

module Spate
  module Specification
    # A gem's metadata as Ruby objects, without Psych: the core reads the shape of YAML that RubyGems writes, and Scalar
    # what is more than a plain word. Neither guesses: if one of them is not sure to read what Psych reads, the answer
    # for the whole text is nil, and RubyGems reads it.
    module Yaml
      autoload :Limits, "spate/specification/yaml/limits"
      autoload :Scalar, "spate/specification/yaml/scalar"

      # A mapping with a tag: Tagged["Gem::Version", { "version" => "1.0" }]
      Tagged = Struct.new(:tag, :fields)

      # Marked texts, as Psych wrote them in 2010.
      MARKED = /^ *(?:- )*(?:[\w-]+: )?! /

      # text: String. Answers a Tagged of Hash, Array, Tagged and scalars (see Yaml::Scalar), or nil. The lists
      # "files" and "test_files", which no installed form keeps, come out empty. Requirements are shared between gems.
      # psych: whether this RubyGems reads as Psych does. RubyGems 4.1 has a reader of its own, which leaves quotes in
      # texts of several lines, ends some at an empty line, and takes letters for bytes.
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
