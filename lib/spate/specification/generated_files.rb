# frozen_string_literal: true

module Spate
  module Specification
    # The files that one version of RubyGems generates from a gem's specification: the installed gemspec, and a wrapper
    # for each executable. They differ between versions of RubyGems and Ruby, so they are stored separately from the
    # package.
    #
    # Format: a line `spate-derived 1`, then for each text a line `<kind> <bytes> <name>` and the bytes.
    class GeneratedFiles
      HEADER = "spate-derived 1\n"

      # The gemspec's text in Ruby, and {executable => wrapper text}.
      attr_reader :specification, :wrappers

      def initialize(specification:, wrappers:)
        @specification = specification
        @wrappers = wrappers
      end

      # The stored files, or nil. rubygems: Layout::Rubygems#key. name: name of the gem's archive.
      def self.recall(store, rubygems, name) = parse(store.read("specs", "#{rubygems}/#{name}"))

      # Returns nil for a text that is truncated or written by a different version.
      def self.parse(text)
        return unless text&.start_with?(HEADER)

        parts = sections(text.b) or return
        specification = parts.find { |kind, _, _| kind == "spec" } or return
        wrappers = parts.filter_map { |kind, name, bytes| [name, bytes] if kind == "bin" }.to_h
        new(specification: specification.last, wrappers: wrappers)
      end

      def self.sections(text)
        offset = HEADER.bytesize
        parts = []
        while offset < text.bytesize
          newline = text.index("\n", offset) or return
          kind, length, name = text[offset...newline].split(" ", 3)
          bytes = text[newline + 1, Integer(length, 10)]
          return if bytes.nil? || bytes.bytesize != Integer(length, 10)

          parts << [kind, name.to_s.force_encoding(Encoding::UTF_8), bytes]
          offset = newline + 1 + bytes.bytesize
        end
        parts
      rescue ArgumentError, TypeError
        nil
      end
      private_class_method :sections

      def keep(store, rubygems, name) = store.write("specs", "#{rubygems}/#{name}", to_s)

      def to_s
        parts = [["spec", "-", specification], *wrappers.map { |name, text| ["bin", name, text] }]
        parts.reduce(HEADER.b) do |text, (kind, name, bytes)|
          text << "#{kind} #{bytes.bytesize} #{name}\n".b << bytes.b
        end
      end
    end
  end
end
