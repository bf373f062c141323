# frozen_string_literal: true

module Spate
  module Server
    class Cache
      # What is in cas/ or ac/, as nginx' autoindex_format json tells a folder: an array, an entry a line, in the order
      # that the disk has them. Read while it is sent, so that a large cache takes no memory, and as fast as its client
      # takes it.
      class Listing
        include Enumerable

        # Entries that are looked at for one part of the answer: other connections have their turn between two.
        SOME = 64

        # folder: a Folder. kind: "cas" or "ac".
        def initialize(folder, kind)
          @folder = folder
          @kind = kind
        end

        # The parts, as bytes. SystemCallError.
        def each
          separator = "[\n"
          @folder.entries(@kind).each_slice(SOME) do |entries|
            yield separator + entries.map { |name, status| line(name, status) }.join(",\n")
            separator = ",\n"
          end
          yield separator == "[\n" ? "[\n]\n" : "\n]\n"
        end

        private

        # Nothing in a key has to be escaped.
        def line(name, status)
          %({ "name":"#{name.key}", "type":"file", "mtime":"#{Response::HTTPDate.of(status.mtime)}", ) +
            %("size":#{status.size} })
        end
      end
    end
  end
end
