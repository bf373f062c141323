# frozen_string_literal: true

module Spate
  module Install
    # A gem's metadata as Ruby objects, without Psych: the core reads the shape of YAML that RubyGems writes, and
    # MetadataScalar what is more than a plain word. Neither guesses: where one of them is not sure to read what Psych
    # reads, the answer is nil for the whole text, and RubyGems reads it.
    module MetadataDocument
      # A mapping with a tag: Tagged["Gem::Version", { "version" => "1.0" }]
      Tagged = Struct.new(:tag, :fields)

      # text: String. Answers a Tagged of Hash, Array, Tagged and scalars (see MetadataScalar), or nil. The lists
      # "files" and "test_files", which no installed form keeps, come out empty. Requirements are shared between gems.
      def self.read(text)
        return unless text.encoding == Encoding::UTF_8

        catch(:unsure) do
          return Native.metadata(text, Tagged) { |style, scalar, indent| MetadataScalar.read(style, scalar, indent) }
        end
        nil
      end
    end
  end
end
