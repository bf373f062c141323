# frozen_string_literal: true

require "json"

module Spate
  module Server
    module Profile
      # One self-contained HTML page: a flame graph to zoom and search, and the methods that took most. It asks for
      # nothing from anywhere: its own policy forbids it.
      class Page
        autoload :Data, "spate/server/profile/page/data"
        autoload :SCRIPT, "spate/server/profile/page/script"
        autoload :STYLE, "spate/server/profile/page/style"

        POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
        # What would end the script element, or begin a comment in it.
        UNSAFE = { "<" => "\\u003c", "\u2028" => "\\u2028", "\u2029" => "\\u2029" }.freeze

        BODY = <<~HTML
          <header>
          <h1>Where does the server's time go?</h1>
          <button id="theme" type="button" title="dark or light">◐</button>
          </header>
          <main>
          <section id="runs" aria-label="The recording"></section>
          <section aria-labelledby="flames-title">
          <h2 id="flames-title">Flame graph</h2>
          <div id="tools">
          <input id="search" type="search" placeholder="method, file, gem…" aria-label="Search">
          <span id="found" role="status"></span>
          <button id="out" type="button" aria-label="Zoom out">−</button>
          <button id="reset" type="button">all</button>
          <button id="inverted" type="button" aria-pressed="false">from the leaves</button>
          <span class="legend" id="legend"></span>
          </div>
          <p id="help">A box is a method, its width the CPU time in it and in what it calls. Click or <kbd>Enter</kbd>: zoom.
          <kbd>↑</kbd> <kbd>↓</kbd> <kbd>←</kbd> <kbd>→</kbd>: callers, callees, neighbours. <kbd>−</kbd>: outward.
          <kbd>0</kbd> or <kbd>Esc</kbd>: all. <kbd>i</kbd>: from the leaves. <kbd>/</kbd>: search.</p>
          <div id="crumbs" class="soft"></div>
          <div id="flames" class="flame"><canvas tabindex="0" role="img" aria-label="Flame graph"></canvas></div>
          <div id="detail" role="status"></div>
          </section>
          <section aria-labelledby="top-title">
          <h2 id="top-title">The methods with the most time of their own</h2>
          <div id="top"></div>
          </section>
          </main>
          <div id="tip" hidden></div>
        HTML

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
            #{STYLE}</style>
            </head>
            <body>
            #{BODY}<script type="application/json" id="data">#{data}</script>
            <script>
            #{SCRIPT}</script>
            </body>
            </html>
          HTML
        end

        private

        def data = JSON.generate(Data.new(@recording).to_h).gsub(/[<\u2028\u2029]/, UNSAFE)
      end
    end
  end
end
