# frozen_string_literal: true

module Spate
  module Build
    # What is known of a stored build besides its files: the facts text of its manifest, `key<TAB>value...` a line.
    # Values hold no raw tab or newline: they are escaped as \t, \n and \\, or a file's name could say anything.
    #
    # full_name, seconds:: of the build
    # root:: the bundle's folder that the result holds for, or nil where it holds for any
    # removed:: paths of the package that the build deleted, relative to the bundle's folder
    # programs:: [[name, path or ""]]: what it looked for on the PATH, and what that was (see Programs)
    # above:: [[name, digest]]: what it looked for in all folders above the bundle (see Above)
    # words, names:: Words of the texts it read, as text; variables among them whose values are inputs
    Record = Struct.new(:full_name, :seconds, :root, :removed, :programs, :above, :words, :names,
                        keyword_init: true) do
      def self.parse(text)
        record = new(removed: [], programs: [], above: [], names: [])
        text.b.each_line(chomp: true) { |line| record.add(*line.split("\t", -1).map { |value| unescape(value) }) }
        record
      end

      # As bytes: a file's name may be no valid text.
      def self.unescape(value) = value.gsub(/\\[\\tn]/n, self::UNESCAPES).force_encoding(Encoding::UTF_8)
      private_class_method :unescape

      def add(key, *values)
        case key
        when "gem" then self.full_name = values.first
        when "seconds" then self.seconds = values.first.to_f
        when "root", "words" then self[key] = values.first
        when "removed" then removed << values.first if inside?(values.first)
        when "program" then programs << values if values.size == 2
        when "above" then above << values if values.size == 2
        when "names" then names.concat(values)
        end
      end

      def to_s
        [
          ["gem", full_name], ["seconds", seconds&.round(3)],
          *%w[root words].filter_map { |key| [key, self[key]] if self[key] },
          *removed.to_a.map { |path| ["removed", path] }, *programs.to_a.map { |program| ["program", *program] },
          *above.to_a.map { |name| ["above", *name] }, ["names", *names]
        ].map { |values| "#{values.map { |value| escape(value) }.join("\t")}\n" }.join.force_encoding(Encoding::UTF_8)
      end

      private

      def escape(value) = value.to_s.b.gsub(/[\\\t\n]/n, self.class::ESCAPES)

      # A path that leads nowhere else: what it names is deleted.
      def inside?(path) = !path.start_with?("/") && !path.b.split("/").include?("..")
    end

    Record::ESCAPES = { "\\" => "\\\\", "\t" => "\\t", "\n" => "\\n" }.freeze
    Record::UNESCAPES = Record::ESCAPES.invert.freeze
  end
end
