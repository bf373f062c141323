# frozen_string_literal: true

require "json"

module Spate
  module Server
    class Files
      class Listing
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
