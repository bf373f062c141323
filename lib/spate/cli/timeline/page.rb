# frozen_string_literal: true

module Spate
  module CLI
    class Timeline
      # The page of one run, or of an earlier run and this one.
      class Page < Profile::Page
        ASSETS = File.expand_path("../../../../assets/timeline", __dir__)
        DATA = %r{<script type="application/json" id="data">(.*?)</script>}m

        # The runs of an existing page, the last one first. Raises UsageError.
        def self.runs(path)
          text = File.read(path, encoding: Encoding::UTF_8)
          runs = JSON.parse(text[DATA, 1].to_s).fetch("runs")
          runs.is_a?(Array) && runs.any? ? runs.reverse : raise(KeyError)
        rescue SystemCallError, JSON::ParserError, KeyError, TypeError, ArgumentError
          raise UsageError.new("--against: #{path} was not written by --timeline",
                               hint: "create one: spate js --timeline FILE")
        end

        private

        def style = super + asset("page.css")
      end
    end
  end
end
