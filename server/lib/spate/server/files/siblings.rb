# frozen_string_literal: true

module Spate
  module Server
    class Files
      # page.html.br, page.html.zst and page.html.gz beside page.html: the same content, coded already.
      class Siblings
        def initialize(folder)
          @folder = folder
        end

        # A Representation, or nil: there is none, or one older than the file that it was made of. One that was not
        # there is looked for again in the next second. Yields a Representation that is new.
        def find(known, coding)
          second = HTTPDate.second
          looked, sibling = known.siblings[coding]
          return sibling if sibling ? @folder.same?(sibling.name, sibling.found) : looked == second

          sibling = look(known, coding)
          known.siblings[coding] = [second, sibling]
          yield sibling if sibling
          sibling
        end

        private

        def look(known, coding)
          name = known.name + Codings::ENDINGS.fetch(coding)
          found = @folder.open(name)
          return if found.is_a?(Symbol)
          return known.sibling(name, found, coding) if found.file? && found.mtime / SECOND >= known.plain.seconds

          found.close
          nil
        end

        SECOND = 1_000_000_000
        private_constant :SECOND
      end
    end
  end
end
