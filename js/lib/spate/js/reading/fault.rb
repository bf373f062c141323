# frozen_string_literal: true

require "strscan"

module Spate
  module JS
    class Reading
      # Finds where a text stops being valid JSON. json before 2.10 reports the position of few errors only.
      class Fault
        STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/
        TOKEN = /[{}\[\],:]|#{STRING}|-?\d[\d.eE+-]*|(?:true|false|null)\b/
        # Expected element => first characters of allowed tokens; 0 means numbers and words.
        ALLOWED = { value: "{[\"0", item: "{[\"0]", name: "\"", pair: "\"}", colon: ":", end: ",]}" }.freeze
        # Characters that are shown.
        SHOWN = 40

        # "line 3, at `}`"; the parser's message if the text is valid JSON. error: the parser's.
        def self.words(text, error) = new(text).words || ErrorSummary.of(error)

        def initialize(text)
          @scanner = StringScanner.new(text.scrub("?").delete_prefix(Project::BOM))
          @open = []
          @want = :value
        end

        # LockfileError of a file.
        def self.error(path, text, error) = LockfileError.new("#{path} is not valid JSON: #{words(text, error)}")

        # nil if the text is valid.
        def words
          read
          rest = @scanner.rest
          return if rest.empty? && @open.empty? && @want == :end

          line = @scanner.string.byteslice(0, @scanner.pos).count("\n") + 1
          "line #{line}, at #{rest.empty? ? "the end of the file" : "`#{rest.lines.first.chomp[0, SHOWN]}`"}"
        end

        private

        def read
          @scanner.skip(/\s+/)
          while (token = @scanner.check(TOKEN)) && (@want = following(token[0].tr("-0-9tfn", "0")))
            @scanner.skip(TOKEN)
            @scanner.skip(/\s+/)
          end
        end

        def following(kind)
          return unless ALLOWED[@want].include?(kind)

          case kind
          when "{", "[" then @open.push(kind) && (kind == "{" ? :pair : :item)
          when "}", "]" then :end if @open.pop == kind.tr("}]", "{[")
          when "," then { "{" => :name, "[" => :value }[@open.last]
          when ":" then :value
          else %i[name pair].include?(@want) ? :colon : :end
          end
        end
      end
    end
  end
end
