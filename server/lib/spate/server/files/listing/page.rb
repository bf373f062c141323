# frozen_string_literal: true

require "json"

module Spate
  module Server
    class Files
      class Listing
        # An HTML page without external resources, scripts, fonts or images. Supports the light and the dark mode of the
        # browser.
        module Page
          TYPE = "text/html; charset=utf-8"
          POLICY = "default-src 'none'; style-src 'unsafe-inline'"
          UNITS = %w[B KB MB GB TB PB].freeze
          ENTITIES = { "&" => "&amp;", "<" => "&lt;", ">" => "&gt;", '"' => "&quot;", "'" => "&#39;" }.freeze
          STYLE = File.read(File.expand_path("../../../../../assets/listing/page.css", __dir__),
                            encoding: Encoding::UTF_8)

          module_function

          # name: "" or "sub/". more: whether the listing is truncated.
          def of(name, items, more)
            title = escape("/#{name.scrub("\u{fffd}")}")
            rows = items.each_with_index.map do |item, index|
              Thread.pass if (index % SLICE).zero?
              row(item)
            end
            rows.unshift(%(<tr><td><a href="../">../</a></td><td></td><td></td></tr>\n)) unless name.empty?
            rest = more ? "<p>Only #{items.size} entries are shown; the folder has more.</p>\n" : ""
            page(title, rows.join, rest)
          end

          def page(title, rows, rest)
            <<~HTML
              <!doctype html>
              <html lang="en">
              <head>
              <meta charset="utf-8">
              <meta name="viewport" content="width=device-width, initial-scale=1">
              <title>#{title}</title>
              <style>
              #{STYLE}</style>
              </head>
              <body>
              <h1>#{title}</h1>
              <table>
              <thead><tr><th>Name</th><th class="n">Size</th><th class="n">Modified (UTC)</th></tr></thead>
              <tbody>
              #{rows}</tbody>
              </table>
              #{rest}</body>
              </html>
            HTML
          end

          def row(item)
            time = Time.at(item.seconds).utc.strftime("%Y-%m-%d %H:%M")
            size = item.directory? ? "" : size(item.bytes)
            %(<tr><td><a href="#{escape(item.href)}">#{escape(item.text)}</a></td>) +
              %(<td class="n">#{size}</td><td class="n">#{time}</td></tr>\n)
          end

          def escape(text) = text.gsub(/[&<>"']/, ENTITIES)

          def size(bytes)
            unit = 0
            number = bytes.to_f
            while number >= 1024 && unit < UNITS.size - 1
              number /= 1024
              unit += 1
            end
            unit.zero? ? "#{bytes} B" : format("%<number>.1f %<unit>s", number: number, unit: UNITS[unit])
          end
          private_class_method :page, :row, :escape, :size
        end

        # JSON: {"path": "/sub/", "truncated": false, "entries": [{"name", "href", "type", "size", "modified"}, ...]}.
        # "href" is exact even when the name has invalid bytes; folders have no size.
        module Document
          TYPE = "application/json"

          # name: "" or "sub/". more: whether the listing is truncated.
          def self.of(name, items, more)
            entries = items.each_with_index.map do |item, index|
              Thread.pass if (index % SLICE).zero?
              entry(item)
            end
            "#{JSON.generate("path" => "/#{name.scrub("\u{fffd}")}", "truncated" => more, "entries" => entries)}\n"
          end

          def self.entry(item)
            { "name" => item.name.scrub("\u{fffd}"), "href" => item.href, "type" => item.kind.to_s,
              "size" => item.directory? ? nil : item.bytes,
              "modified" => Time.at(item.seconds).utc.strftime("%Y-%m-%dT%H:%M:%SZ") }
          end
          private_class_method :entry
        end
      end
    end
  end
end
