# frozen_string_literal: true

require "json"

module Spate
  module CLI
    class Timeline
      # One self-contained HTML page of one run, or of an earlier one and this one. It requests nothing from anywhere:
      # its own policy forbids that.
      class Page
        ASSETS = File.expand_path("../../../../assets/timeline", __dir__)
        POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
        # What would end the script element, or begin a comment in it.
        UNSAFE = { "<" => "\\u003c", "\u2028" => "\\u2028", "\u2029" => "\\u2029" }.freeze
        DATA = %r{<script type="application/json" id="data">(.*?)</script>}m

        # The runs of a page that was written before: what is shown last comes first. Raises UsageError.
        def self.runs(path)
          text = File.read(path, encoding: Encoding::UTF_8)
          runs = JSON.parse(text[DATA, 1].to_s).fetch("runs")
          runs.is_a?(Array) && runs.any? ? runs.reverse : raise(KeyError)
        rescue SystemCallError, JSON::ParserError, KeyError, TypeError, ArgumentError
          raise UsageError.new("--against: #{path} is no page that --timeline wrote",
                               hint: "spate js --timeline FILE writes one")
        end

        # runs: [Hash] as Timeline makes them.
        def initialize(runs)
          @runs = runs
        end

        def to_s
          data = JSON.generate(runs: @runs).gsub(/[<\u2028\u2029]/, UNSAFE)
          parts = { "policy" => POLICY, "style" => asset("page.css"), "data" => data, "script" => asset("page.js") }
          asset("page.html").gsub(/\{\{(\w+)\}\}/) { parts.fetch($1) }
        end

        private

        def asset(name) = File.read("#{ASSETS}/#{name}", encoding: Encoding::UTF_8)
      end
    end
  end
end
