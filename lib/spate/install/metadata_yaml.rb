# frozen_string_literal: true

module Spate
  module Install
    # Reads the one shape of YAML that RubyGems writes a gem's metadata in: block collections, a few tags, scalars of
    # every style but the folded one. It never guesses: where it is not sure to read what Psych reads, the answer is nil
    # for the whole text, and RubyGems reads it.
    class MetadataYaml
      # A mapping with a tag: Tagged["Gem::Version", { "version" => "1.0" }]
      Tagged = Struct.new(:tag, :fields)

      # Line breaks, marks and control characters that YAML knows and RubyGems does not write.
      STRANGE = /[^\n -~\u{A0}-\u{2027}\u{202A}-\u{D7FF}\u{E000}-\u{FEFE}\u{FF00}-\u{FFFD}\u{10000}-\u{10FFFF}]/
      HEAD = "--- "
      KEY = /\A([A-Za-z][\w.-]*):(?: (\S.*)| *)\z/
      TAG = %r{\A!ruby/object:(\S+)\z}
      DEEPEST = 16 # columns of indentation
      DASHES = Array.new(DEEPEST + 3) { |indent| "#{" " * indent}- " }.freeze

      # A requirement, the most frequent thing by far: few different ones stand in all gems, so each is read once.
      REQUIREMENT = %r{ !ruby/object:Gem::Requirement\n( *)requirements:\n((?:\1- - .*\n\1  - .*\n\1    .*\n)+)}
      MARK = " !known "
      KNOWN = {} # rubocop:disable Style/MutableConstant -- texts that were read before, and what they are

      # text: String. Answers Hash, Array, Tagged or a scalar (see MetadataScalar) of the one document; or nil.
      def self.read(text)
        return if text.encoding != Encoding::UTF_8 || !text.valid_encoding? || text.match?(STRANGE)
        return if text.include?(MARK)

        catch(:unsure) { new(text).document }
      end

      def initialize(text, known: true)
        @known = []
        @met = 0
        @anchors = {}
        text = text.gsub(REQUIREMENT) { known(Regexp.last_match) } if known
        @lines = text.split("\n", -1)
        @lines.pop if @lines.last == ""
        @lines.pop if @lines.last == "..."
        @at = 0
      end

      def document
        head = @lines.first.to_s
        unsure unless head.start_with?(HEAD)
        @at = 1
        value = tagged(head.delete_prefix(HEAD), -1)
        @at == @lines.size && @met == @known.size ? value : unsure
      end

      private

      def unsure = throw(:unsure)

      def known(match)
        @known << (KNOWN["#{match[1].size} #{match[2]}"] ||= requirement(match))
        "#{MARK}#{@known.size - 1}\n"
      end

      def requirement(match)
        lines = match[2].gsub(/^#{match[1]}/, "  ")
        MetadataYaml.new("--- !ruby/object:Gem::Requirement\n  requirements:\n#{lines}", known: false).document
      end

      # Leading blanks of the line that is next; -1 after the last.
      def indentation
        line = @lines[@at] or return -1
        return 0 unless line.empty? || line.start_with?(" ")

        line.index(/[^ ]/) || unsure
      end

      def map(indent)
        unsure if indent > DEEPEST
        map = {}
        while indentation == indent
          line = @lines[@at]
          found = KEY.match(indent.zero? ? line : line[indent..]) or unsure
          key = found[1]
          unsure if map.key?(key) || MetadataScalar.special?(key)
          @at += 1
          map[key] = value(found[2], indent)
        end
        unsure if map.empty? || indentation > indent
        map
      end

      # `- ` stands at the column `indent`.
      def sequence(indent)
        unsure if indent > DEEPEST
        list = []
        list << item(@lines[@at][(indent + 2)..], indent) while indentation == indent && dash?(indent)
        unsure if indentation > indent
        list
      end

      def item(rest, indent)
        if rest&.start_with?("- ")
          @lines[@at] = "#{" " * (indent + 2)}#{rest}"
          return sequence(indent + 2)
        end
        unsure if rest&.start_with?(" ")
        @at += 1
        return (below(indent) if indentation > indent) if rest.nil? || rest.empty?

        value(rest, indent)
      end

      # What follows a key or a dash, on its line and the next ones. indent: of the collection that it is in.
      def value(rest, indent)
        return below(indent) unless rest

        case rest.getbyte(0)
        when 33 then marked(rest, indent) # !
        when 38 then anchored(rest, indent) # &
        when 42 then @anchors[rest[1..]] || unsure # *
        when 34, 39 then quoted(rest, indent) # quotes
        when 91, 123 then empty(rest) # [ {
        when 124 then literal(rest, indent) # |
        else plain(rest, indent)
        end
      end

      # "! " says that what follows is a string, as Psych did once.
      def marked(rest, indent)
        return met(rest) if rest.start_with?("!known ")

        rest.match?(/\A! ["']/) ? quoted(rest[2..], indent) : tagged(rest, indent)
      end

      # As Psych wrote a requirement that stands twice: both times the same object.
      def anchored(rest, indent)
        found = rest.match(/\A&(\d+) (!.*)\z/) or unsure
        unsure if @anchors.key?(found[1])
        @anchors[found[1]] = marked(found[2], indent)
      end

      def met(rest)
        @met += 1
        @known[rest.delete_prefix("!known ").to_i]
      end

      def empty(rest)
        case rest
        when "[]" then []
        when "{}" then {}
        else unsure
        end
      end

      def tagged(rest, indent)
        tag = rest[TAG, 1] or unsure
        inner = indentation
        inner > indent ? Tagged.new(tag, map(inner)) : unsure
      end

      def below(indent)
        inner = indentation
        return inner == indent && dash?(inner) ? sequence(inner) : nil if inner <= indent

        unsure if inner > DEEPEST
        dash?(inner) ? sequence(inner) : map(inner)
      end

      def dash?(indent)
        line = @lines[@at]
        line.start_with?(DASHES[indent]) || (line.end_with?("-") && line.size == indent + 1)
      end

      def indentation_or_blank
        @lines[@at] == "" ? DEEPEST : indentation
      end

      # The further lines of a scalar, as they are; blank ones too, but for those at the end of the text.
      def continuation(indent)
        first = @at
        @at += 1 while (line = @lines[@at]) && (line.match?(/\A *\z/) || line.index(/[^ ]/) > indent)
        @lines[first...@at]
      end

      def plain(rest, indent)
        return MetadataScalar.simple(rest) if indentation_or_blank <= indent

        lines = [rest, *continuation(indent)]
        unsure if lines.last.match?(/\A *\z/)
        MetadataScalar.plain(lines)
      end

      def quoted(rest, indent)
        lines = [rest]
        mark = rest[0]
        until MetadataScalar.closed?(lines, mark)
          line = @lines[@at]
          unsure if line.nil? || (line.match?(/[^ ]/) && line.index(/[^ ]/) <= indent)
          lines << line
          @at += 1
        end
        mark == "'" ? MetadataScalar.single(lines) : MetadataScalar.double(lines)
      end

      def literal(rest, indent)
        MetadataScalar.literal(rest, continuation(indent), indent)
      end
    end
  end
end
