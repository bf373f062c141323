# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # One self-contained HTML page: a flame graph that can be zoomed and searched, and the methods that took the most
      # time. The content security policy of the page forbids every request.
      class Page
        ASSETS = File.expand_path("../../../../assets/profile", __dir__)
        # The style sheet is shared with the pages of the gem spate.
        STYLE = File.expand_path("../../../../../assets/page.css", __dir__)
        POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
        # Characters that could end the script element, begin a comment in it, or end a line.
        UNSAFE = { "<" => "\\u003c", "\u2028" => "\\u2028", "\u2029" => "\\u2029" }.freeze

        def initialize(recording)
          @recording = recording
        end

        def to_s
          <<~HTML
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="#{POLICY}">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Where does the server's time go?</title>
            <link rel="icon" href="data:,">
            <style>
            #{style}</style>
            </head>
            <body>
            #{asset("body.html")}<script type="application/json" id="data">#{data}</script>
            <script>
            #{asset("page.js")}</script>
            </body>
            </html>
          HTML
        end

        private

        def style = File.read(STYLE, encoding: Encoding::UTF_8) + asset("page.css")
        def asset(name) = File.read(File.join(ASSETS, name), encoding: Encoding::UTF_8)
        def data = JSON.generate(@recording.to_h).gsub(/[<\u2028\u2029]/, UNSAFE)
      end
    end
  end
end
