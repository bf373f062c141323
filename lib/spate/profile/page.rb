# frozen_string_literal: true

require "json"

module Spate
  module Profile
    # A self-contained HTML page (assets/profile) with one run, or two runs side by side. Its content security policy
    # forbids all requests. Pages of other programs inherit from this class and have other ASSETS.
    class Page
      ASSETS = File.expand_path("../../../assets/profile", __dir__)
      # Shared by all pages.
      STYLE, SCRIPT = %w[page.css page.js].map { |name| File.expand_path("../#{name}", ASSETS) }
      POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
      # Characters that would end the script element, or start a comment in it.
      UNSAFE = { "<" => "\\u003c", "\u2028" => "\\u2028", "\u2029" => "\\u2029" }.freeze

      # The data file's text.
      def self.json(runs) = JSON.generate("runs" => runs)

      # runs: [Hash] as returned by Trace#to_h or Comparison.read.
      def initialize(runs)
        @runs = runs
      end

      def to_s
        data = Page.json(@runs).gsub(/[<\u2028\u2029]/, UNSAFE)
        parts = { "policy" => POLICY, "style" => style, "data" => data, "script" => script }
        asset("page.html").gsub(/\{\{(\w+)\}\}/) { parts.fetch($1) }
      end

      private

      def style = File.read(STYLE, encoding: Encoding::UTF_8)
      def script = File.read(SCRIPT, encoding: Encoding::UTF_8) + asset("page.js")
      def asset(name) = File.read("#{self.class::ASSETS}/#{name}", encoding: Encoding::UTF_8)
    end

    # Reads the run to compare with, from a page or data file of an earlier `spate boot profile`.
    module Comparison
      DATA = %r{<script type="application/json" id="data">(.*?)</script>}m

      module_function

      # Returns a Hash like Trace#to_h. Raises Unreadable.
      def read(path)
        text = File.read(path, encoding: Encoding::UTF_8)
        text = text[DATA, 1] || raise(Unreadable.new(path, "it contains no data")) if path.end_with?(".html", ".htm")
        found = JSON.parse(text, symbolize_names: true)
        found = found[:runs].first if found.is_a?(Hash) && found[:runs].is_a?(Array)
        return found if found.is_a?(Hash) && found[:format] == FORMAT

        raise Unreadable.new(path, "unknown format")
      rescue JSON::ParserError
        raise Unreadable.new(path, "invalid JSON")
      rescue SystemCallError => e
        raise Unreadable.new(path, SystemCallError.new(nil, e.errno).message)
      end
    end
  end
end
