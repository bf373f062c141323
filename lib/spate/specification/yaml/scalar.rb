# frozen_string_literal: true

module Spate
  module Specification
    module Yaml
      # Parses YAML scalars that are not plain words, to String, Symbol, Integer, true, false, nil or Day. Throws
      # :unsure for scalars that some version of Psych may parse differently.
      module Scalar
        # A time with the offset 0, of which a gem uses only the day, "2024-05-31".
        Day = Struct.new(:text)

        # Matches words that are not strings in some versions of YAML.
        SPECIAL = /\A(?:~|null|true|false|yes|no|on|off|y|n|nan|inf|infinity)\z/i
        CONSTANTS = { "true" => true, "false" => false, "" => nil }.freeze
        WORD = %r{\A(?:[\p{L}_(/$^<~]|\.(?!inf|nan)[a-z_]|--[a-z])}i
        NOT_PLAIN = /: |:\z| #|\A *#/
        VERSION = /\A\d+(?:(?:\.[0-9A-Za-z]+){2,}|\.(?:a|b|pre|rc|alpha|beta)\d*)\z/
        INTEGER = /\A(?:0|[1-9]\d{0,8})\z/
        SYMBOL = /\A:([a-z]+)\z/
        TIME = /\A(\d{4}-\d\d-\d\d) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{9} Z\z/
        LITERAL = /\A\|([1-9])?([+-])?\z/
        ESCAPE = /\\(?:x(\h{2})|u(\h{4})|U(\h{8})|(.))/
        ESCAPES = { "n" => "\n", "t" => "\t", "r" => "\r", "e" => "\e", "0" => "\0", "a" => "\a", "b" => "\b",
                    "f" => "\f", "v" => "\v", '"' => '"', "\\" => "\\", "/" => "/", " " => " " }.freeze

        module_function

        def unsure = throw(:unsure)

        # Parses a scalar. style: :plain, :single, :double or :literal. text: as written, but without the key in the
        # first line. indent: the indentation of the enclosing collection.
        def read(style, text, indent)
          lines = text.split("\n", -1)
          case style
          when :plain then lines.one? ? simple(text) : plain(lines)
          when :single then single(lines)
          when :double then double(lines)
          else literal(lines.first, lines.drop(1), indent)
          end
        end

        # Throws :unsure for quoted strings with several lines, and for empty lines in plain strings or at the end of
        # literals.
        def simple_lines(style, text)
          odd = { plain: /\n *$/, literal: /\n *\z/ }.fetch(style, "\n")
          unsure if text.match?(odd)
        end

        def plain(lines)
          unsure if lines.last.match?(/\A *\z/)
          lines.each { |line| unsure if line.match?(NOT_PLAIN) }
          text = fold(lines).strip
          text.length > 5 ? resolve(text) : unsure # Psych looks for constants in the lines of short strings
        end

        # Parses a single line without trailing blanks.
        def simple(line)
          unsure if line.match?(NOT_PLAIN)
          resolve(line)
        end

        def resolve(text)
          return text if WORD.match?(text) && !SPECIAL.match?(text)

          typed(text)
        end

        def typed(text)
          return CONSTANTS[text] if CONSTANTS.key?(text)
          return text if VERSION.match?(text)
          return text.to_i if INTEGER.match?(text)
          return text[1..].to_sym if SYMBOL.match?(text)

          day(text[TIME, 1] || unsure)
        end

        def day(text)
          year, month, day = text.split("-").map { |part| part.to_i(10) }
          unsure unless year.positive? && month.between?(1,
                                                         12) && day.positive? && Time.utc(year, month, day).day == day
          Day.new(text)
        end

        # Joins lines. A line break within a scalar becomes a space, and n empty lines become n line breaks. Preserves
        # blanks at the start and the end.
        def fold(lines)
          return lines.first if lines.one?

          text = lines.first.rstrip
          breaks = 0
          lines[1...-1].each do |line|
            stripped = line.strip
            next breaks += 1 if stripped.empty?

            join(text, breaks, stripped)
            breaks = 0
          end
          join(text, breaks, lines.last.lstrip)
        end

        def join(text, breaks, more) = text << (breaks.zero? ? " " : "\n" * breaks) << more

        def single(lines) = fold(inner(lines)).gsub("''", "'")

        # A backslash at the end of a line joins it with the next line, and preserves blanks before the backslash.
        def double(lines)
          lines = inner(lines)
          return unescaped(lines.first) if lines.one?

          unsure if lines[0...-1].any? { |line| line.match?(/\\(?:\\| +)\z/) }
          unsure if lines.each_cons(2).any? { |line, after| line.end_with?("\\") && after.strip.empty? }
          unescaped(fold(lines.slice_when { |line, _| !line.end_with?("\\") }.map { |slice| join_continued(slice) }))
        end

        def join_continued(lines)
          lines.each_with_index.map do |line, index|
            line = line.lstrip if index.positive?
            index == lines.size - 1 ? line : line.delete_suffix("\\")
          end.join
        end

        def unescaped(text)
          text.include?("\\") ? text.gsub(ESCAPE) { unescape(Regexp.last_match) } : text
        end

        # The lines without the quotes.
        def inner(lines)
          return [lines.first[1...-1]] if lines.one?

          [lines.first[1..], *lines[1...-1], lines.last[...-1]]
        end

        def unescape(match)
          code = match[1] || match[2] || match[3]
          return ESCAPES[match[4]] || unsure unless code

          number = code.to_i(16)
          unsure if number > 0x10FFFF || number.between?(0xD800, 0xDFFF)
          [number].pack("U")
        end

        # head: "|", with a number if the text starts with blanks, and "-" or "+" to strip or preserve line breaks at
        # its end.
        def literal(head, lines, indent)
          match = LITERAL.match(head) or unsure
          kept = lines.rindex { |line| line.match?(/[^ ]/) } or unsure
          column = match[1] ? [indent, 0].max + match[1].to_i : lines.find { |line| line.match?(/[^ ]/) }.index(/[^ ]/)
          text = lines[0..kept].map { |line| literal_line(line, column) }.join("\n")
          ends = lines.drop(kept + 1)
          unsure unless ends.all?(&:empty?)
          text + ("\n" * { "-" => 0, "+" => ends.size + 1 }.fetch(match[2], 1))
        end

        def literal_line(line, column)
          return "" if line.empty?

          unsure if line.index(/[^ ]/).nil? || line.index(/[^ ]/) < column
          line[column..]
        end
      end
    end
  end
end
