# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Finds compressed versions of a file in the same folder: page.html.br, page.html.zst or page.html.gz for
      # page.html.
      class Precompressed
        def initialize(folder)
          @folder = folder
        end

        # Returns a Representation, or nil if the compressed file is missing or older than the original. A missing
        # file is looked up again after a second. Yields a new Representation.
        def find(resource, coding)
          second = Response::HTTPDate.second
          looked, sibling = resource.siblings[coding]
          return sibling if sibling ? @folder.same?(sibling.name, sibling.found) : looked == second

          sibling = look(resource, coding)
          resource.siblings[coding] = [second, sibling]
          yield sibling if sibling
          sibling
        end

        private

        def look(resource, coding)
          name = resource.name + AcceptEncoding::ENDINGS.fetch(coding)
          found = @folder.open(name)
          return if found.is_a?(Symbol)
          return resource.sibling(name, found, coding) if found.file? && found.mtime / SECOND >= resource.plain.seconds

          found.close
          nil
        end

        SECOND = 1_000_000_000
        private_constant :SECOND
      end
    end
  end
end
