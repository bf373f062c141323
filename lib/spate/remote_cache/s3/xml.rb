# frozen_string_literal: true

module Spate
  module RemoteCache
    class S3
      # As much XML as S3 and STS write: elements with text or elements in them, names that nest in no element of their
      # own name, no declarations of types.
      module XML
        ENTITIES = { "amp" => "&", "lt" => "<", "gt" => ">", "quot" => '"', "apos" => "'" }.freeze
        ENTITY = /&(?:#(\d{1,7})|#x(\h{1,6})|(\w+));/
        private_constant :ENTITIES, :ENTITY

        module_function

        # The content of each element of that name: Array of String. Scans any text only once.
        def elements(text, name)
          text.split(/<#{name}(?:\s[^<>]*)?>/).drop(1).filter_map do |part|
            inside, ending, = part.partition("</#{name}>")
            inside unless ending.empty?
          end
        end

        # The text in the first element of that name, nil where there is none.
        def value(text, name)
          found = text[%r{<#{name}(?:\s[^<>]*)?>([^<]*)</#{name}>}, 1]
          found&.dup&.force_encoding(Encoding::UTF_8)&.scrub&.gsub(ENTITY) { character($~) }
        end

        def character(match)
          return ENTITIES.fetch(match[3], match[0]) if match[3]

          (match[1]&.to_i || match[2].hex).chr(Encoding::UTF_8)
        rescue RangeError # no character has that number
          match[0]
        end
        private_class_method :character
      end
    end
  end
end
