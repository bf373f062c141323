# frozen_string_literal: true

module Spate
  module Build
    # What is known of a stored build besides its files: the facts text of its manifest, `key<TAB>value...` a line.
    #
    # full_name, seconds:: of the build
    # root:: the bundle's folder that the result holds for, or nil where it holds for any
    # removed:: paths of the package that the build deleted, relative to the bundle's folder
    # libraries:: [[name, path, *further folders]]: what its files link against, where it was found, and the
    #             RUNPATH folders to look in
    Record = Struct.new(:full_name, :seconds, :root, :removed, :libraries, keyword_init: true) do
      def self.parse(text)
        record = new(removed: [], libraries: [])
        text.each_line(chomp: true) { |line| record.add(*line.split("\t")) }
        record
      end

      def add(key, *values)
        case key
        when "gem" then self.full_name = values.first
        when "seconds" then self.seconds = values.first.to_f
        when "root" then self.root = values.first
        when "removed" then removed << values.first
        when "library" then libraries << values
        end
      end

      def to_s
        [
          ["gem", full_name], ["seconds", seconds&.round(3)], *([["root", root]] if root),
          *removed.map { |path| ["removed", path] }, *libraries.map { |library| ["library", *library] }
        ].map { |values| "#{values.join("\t")}\n" }.join
      end
    end
  end
end
