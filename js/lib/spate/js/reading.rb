# frozen_string_literal: true

require "strscan"

module Spate
  module JS
    # Reads the inputs of a plan, files and variables, and records which were read and which were missing, so that a
    # cached result can be checked against them.
    class Reading
      # Maximum size of a lockfile in bytes. The largest public lockfiles have 3 MB. Parsed data takes about fifteen
      # times as much memory.
      LARGEST = 64 << 20
      LISTENING = :spate_js_reading
      private_constant :LISTENING

      class << self
        # Returns [result of the block, Reading of everything that this thread reads in the block].
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

        # The kind of a parsed JSON or YAML value, for messages.
        def kind(value)
          case value
          when Hash then "an object"
          when Array then "an array"
          when String then "a string"
          when Numeric then "a number"
          else value.nil? ? "null" : value.to_s
          end
        end

        # The start of a parsed value as JSON, for messages.
        def shown(value) = JSON.generate(value, allow_nan: true, max_nesting: 0)[0, 60]

        # Whether the file exists.
        def file?(path)
          Thread.current[LISTENING]&.note(path)
          File.file?(path)
        end

        # Records a variable whose value was used.
        def variable(name) = Thread.current[LISTENING]&.variables&.push(name)

        # Marks the result as not cacheable: it may change although no recorded input changes.
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

      # Finds where a text stops being valid JSON, because json before 2.10 reports the position of few errors only.
      class Fault
        STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/
        TOKEN = /[{}\[\],:]|#{STRING}|-?\d[\d.eE+-]*|(?:true|false|null)\b/
        # { expected element => first characters of allowed tokens }; "0" means numbers and words.
        ALLOWED = { value: "{[\"0", item: "{[\"0]", name: "\"", pair: "\"}", colon: ":", end: ",]}" }.freeze
        # Characters that are shown.
        SHOWN = 40

        # "line 3, at `}`"; the parser's message if the text is valid JSON. error: the parser's exception.
        def self.words(text, error) = new(text).words || ErrorSummary.of(error)

        def initialize(text)
          @scanner = StringScanner.new(text.scrub("?").delete_prefix(Project::BOM))
          @open = []
          @want = :value
        end

        # The LockfileError for a file.
        def self.error(path, text, error) = LockfileError.new("#{path}: invalid JSON: #{words(text, error)}")

        # The position of the error; nil if the text is valid.
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
