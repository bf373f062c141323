# frozen_string_literal: true

module Spate
  module RemoteCache
    class S3
      # A page of ListObjectsV2.
      class Listing
        # text: XML. Raises Unavailable where it is none of it, or cannot be followed to its end: what a short list does
        # not name would be taken for gone.
        def self.read(text, address)
          raise Unavailable.new(:answer, address, "sent no list") unless text.include?("</ListBucketResult>")

          list = new(text)
          return list unless list.token == ""

          raise Unavailable.new(:answer, address, "sent a truncated list without a continuation token")
        end

        # What to ask for the next page with, nil at the last.
        attr_reader :token

        def initialize(text)
          @entries = XML.elements(text, "Contents")
          @token = XML.value(text, "NextContinuationToken").to_s if XML.value(text, "IsTruncated") == "true"
        end

        # Yields (name, size, Time) of the cache's names below a prefix; skips all others.
        def each(prefix)
          @entries.each do |entry|
            key, size, time = %w[Key Size LastModified].map { |name| XML.value(entry, name).to_s }
            name = key.delete_prefix(prefix)
            yield name, size[/\A\d+/].to_i, time(time) if key.start_with?(prefix) && NAME.match?(name)
          end
        end

        private

        # ISO 8601, always in UTC. An invalid time counts as now, and the blob as too young to be collected.
        def time(text)
          parts = text.match(/\A(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/) or return Time.now
          Time.utc(*parts.captures.map(&:to_i))
        rescue ArgumentError
          Time.now
        end
      end

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
