# frozen_string_literal: true

module Spate
  module Server
    class Cache
      # The content of cas/ or ac/ in the format of nginx' autoindex_format json: an array with one entry per line, in
      # the disk's order. The folder is read while the response is sent, as fast as the client reads, so that listing a
      # large cache takes no memory.
      class Listing
        include Enumerable

        # Entries that are read for one part of the response. Other connections are served between two parts.
        SOME = 64

        # folder: a Folder. kind: "cas" or "ac".
        def initialize(folder, kind)
          @folder = folder
          @kind = kind
        end

        # Yields the parts as Strings. Raises SystemCallError.
        def each
          separator = "[\n"
          @folder.entries(@kind).each_slice(SOME) do |entries|
            yield separator + entries.map { |name, status| line(name, status) }.join(",\n")
            separator = ",\n"
          end
          yield separator == "[\n" ? "[\n]\n" : "\n]\n"
        end

        private

        # Formats one entry. Keys need no escaping.
        def line(name, status)
          %({ "name":"#{name.key}", "type":"file", "mtime":"#{Response::HTTPDate.of(status.mtime)}", ) +
            %("size":#{status.size} })
        end
      end
    end
  end
end
