# frozen_string_literal: true

module Spate
  module JS
    class Package
      class Facts
        # Facts as lines of a key and what belongs to it, read without JSON.
        #
        #   spate-npm 2
        #   name<TAB>esbuild
        #   bin<TAB>esbuild<TAB>bin/esbuild
        #   script<TAB>postinstall<TAB>node install.js
        class Text
          HEADER = "spate-npm 2"
          PAIRS = { "bin" => :bins, "clamped" => :clamped_bins, "folder" => :folder_bins, "shebang" => :shebangs,
                    "script" => :scripts, "engine" => :engines }.freeze
          LISTS = { "missing" => :missing, "os" => :os, "cpu" => :cpu, "libc" => :libc, "bundled" => :bundled,
                    "gitignore" => :gitignores }.freeze
          SINGLE = { "name" => :name, "version" => :version }.freeze
          ESCAPES = { "\\" => "\\\\", "\t" => "\\t", "\n" => "\\n", "\r" => "\\r" }.freeze
          UNESCAPES = ESCAPES.invert.freeze

          # Whether it is of this version.
          def self.whole?(text) = text.start_with?(HEADER) && ["\n", nil].include?(text[HEADER.size])

          def self.parse(text)
            lines = text.split("\n", -1).drop(1)
            lines.each_with_object(Facts.new) { |line, facts| read(facts, line.split("\t", -1)) }
          end

          def self.read(facts, fields)
            key, first, second = fields
            first, second = [first, second].map { |field| unescape(field) }
            if (pair = PAIRS[key]) then facts[pair][first] = second
            elsif (list = LISTS[key]) then facts[list] << first
            elsif (single = SINGLE[key]) then facts[single] = first
            end
          end

          def self.unescape(field) = field&.include?("\\") ? field.gsub(/\\[\\tnr]/, UNESCAPES) : field
          private_class_method :read, :unescape

          def initialize(facts)
            @facts = facts
          end

          def to_s
            lines = SINGLE.filter_map { |key, name| line(key, @facts[name]) if @facts[name] }
            lines += PAIRS.flat_map { |key, name| @facts[name].map { |pair| line(key, *pair) } }
            lines += LISTS.flat_map { |key, name| @facts[name].map { |one| line(key, one) } }
            [HEADER, *lines].join("\n")
          end

          private

          def line(key, *fields) = [key, *fields.map { |field| plain(field).gsub(/[\\\t\n\r]/, ESCAPES) }].join("\t")
          # An archive has bytes of any kind, and so have paths in it.
          def plain(field) = field.dup.force_encoding(Encoding::UTF_8).scrub
        end
      end
    end
  end
end
