# frozen_string_literal: true

require "json"

module Spate
  module Profile
    # One self-contained HTML page of one run, or of two side by side. It asks for nothing from anywhere: its own policy
    # forbids it.
    class Page
      autoload :SCRIPT, "spate/profile/page/script"
      autoload :STYLE, "spate/profile/page/style"

      POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
      # What would end the script element, or begin a comment in it.
      UNSAFE = { "<" => "\\u003c", "\u2028" => "\\u2028", "\u2029" => "\\u2029" }.freeze

      # The data file's text.
      def self.json(runs) = JSON.generate("runs" => runs)

      # runs: [Hash] as Trace#to_h or Comparison.read answer.
      def initialize(runs)
        @runs = runs
      end

      def to_s
        <<~HTML
          <!doctype html>
          <html lang="en">
          <head>
          <meta charset="utf-8">
          <meta http-equiv="Content-Security-Policy" content="#{POLICY}">
          <meta name="viewport" content="width=device-width, initial-scale=1">
          <title>Where did the boot go?</title>
          <link rel="icon" href="data:,">
          <style>
          #{STYLE}</style>
          </head>
          <body>
          #{BODY}<script type="application/json" id="data">#{Page.json(@runs).gsub(/[<\u2028\u2029]/, UNSAFE)}</script>
          <script>
          #{SCRIPT}</script>
          </body>
          </html>
        HTML
      end

      BODY = <<~HTML
        <header>
        <h1>Where did the boot go?</h1>
        <button id="theme" type="button" title="dark or light">◐</button>
        </header>
        <main>
        <section id="runs" aria-label="The runs"></section>
        <section aria-labelledby="shares-title">
        <h2 id="shares-title">Shares</h2>
        <div id="shares"></div>
        </section>
        <section aria-labelledby="flames-title">
        <h2 id="flames-title">Timeline</h2>
        <div id="tools">
        <input id="search" type="search" placeholder="file, gem, initializer…" aria-label="Search">
        <span id="found" role="status"></span>
        <button id="in" type="button" aria-label="Zoom in">+</button>
        <button id="out" type="button" aria-label="Zoom out">−</button>
        <button id="reset" type="button">all</button>
        <span id="range"></span>
        </div>
        <p id="help">Wheel or <kbd>+</kbd> <kbd>−</kbd>: zoom. Drag or <kbd>←</kbd> <kbd>→</kbd>: move. Click: zoom to it.
        <kbd>↑</kbd> <kbd>↓</kbd>: outward, inward. <kbd>0</kbd> or <kbd>Esc</kbd>: all. <kbd>/</kbd>: search.</p>
        <div id="flames"></div>
        <div id="detail" role="status"></div>
        </section>
        <section aria-labelledby="gems-title">
        <h2 id="gems-title">The ten slowest gems</h2>
        <div id="gems"></div>
        </section>
        <section aria-labelledby="files-title">
        <h2 id="files-title">The ten slowest files</h2>
        <div id="files"></div>
        </section>
        <section aria-labelledby="counts-title">
        <h2 id="counts-title">Counts</h2>
        <div id="counts"></div>
        </section>
        </main>
        <div id="tip" hidden></div>
      HTML
    end
  end
end
