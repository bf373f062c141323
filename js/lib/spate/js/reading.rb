# frozen_string_literal: true

require "strscan"

module Spate
  module JS
    # Reads the inputs of a plan, files and variables, and records which were read and which were missing, so that a
    # cached result can be checked against them.
    class Reading
      # In bytes. The largest public lockfiles have 3 MB; the parsed data is about fifteen times as large.
      LARGEST = 64 << 20
      LISTENING = :spate_js_reading
      private_constant :LISTENING

      class << self
        # [result of the block, Reading of everything that the block reads here]
        def of
          around = Thread.current[LISTENING]
          reading = Thread.current[LISTENING] = new
          [yield, reading]
        ensure
          Thread.current[LISTENING] = around
        end

        # The content of a file. Raises SystemCallError, LockfileError.
        def bytes(path)
          size = File.size(path)
          raise LockfileError, "#{path}: expected at most #{LARGEST >> 20} MB, found #{size >> 20}" if size > LARGEST

          File.binread(path).tap { |bytes| Thread.current[LISTENING]&.note(path, bytes) }
        end

        # The content of a file as UTF-8. Raises the same errors as bytes.
        def text(path) = bytes(path).force_encoding(Encoding::UTF_8)

        # Whether the file exists.
        def file?(path)
          Thread.current[LISTENING]&.note(path)
          File.file?(path)
        end

        # Records a variable whose value was used.
        def variable(name) = Thread.current[LISTENING]&.variables&.push(name)

        # Marks the result as one that must not be cached: it may change without any recorded input changing.
        def unsure = Thread.current[LISTENING]&.fleeting = true
      end

      # { path => SHA-256 (hex) of the content first read; nil if only its existence was checked }
      attr_reader :digests
      # { path => content } of the files read.
      attr_reader :contents
      # Names of variables.
      attr_reader :variables
      # Whether the result must not be cached.
      attr_accessor :fleeting

      def initialize
        @digests = {}
        @contents = {}
        @variables = []
      end

      def note(path, bytes = nil)
        path = File.expand_path(path)
        @digests[path] ||= bytes && Store.sha256(bytes)
        @contents[path] ||= bytes if bytes
      end

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
