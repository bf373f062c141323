# frozen_string_literal: true

module Spate
  module RemoteCache
    class S3
      # A page of ListObjectsV2.
      class Listing
        # text: XML. Raises Unavailable if the text is not a list, or if its token for the next page is missing: names
        # missing from a truncated list would be treated as removed.
        def self.read(text, address)
          unless text.include?("</ListBucketResult>")
            raise Unavailable.new(:answer, address, "sent a response that is not a list")
          end

          list = new(text)
          return list unless list.token == ""

          raise Unavailable.new(:answer, address, "sent a truncated list without a continuation token")
        end

        # The continuation token for the next page, or nil on the last page.
        attr_reader :token

        def initialize(text)
          @entries = XML.elements(text, "Contents")
          @token = XML.value(text, "NextContinuationToken").to_s if XML.value(text, "IsTruncated") == "true"
        end

        # Yields (name, size, Time) for valid names with a prefix. Skips other names.
        def each(prefix)
          @entries.each do |entry|
            key, size, time = %w[Key Size LastModified].map { |name| XML.value(entry, name).to_s }
            name = key.delete_prefix(prefix)
            yield name, size[/\A\d+/].to_i, time(time) if key.start_with?(prefix) && NAME.match?(name)
          end
        end

        private

        # Parses a time in ISO 8601, always in UTC. Returns the current time if it is invalid, so that the blob is too
        # young to be removed.
        def time(text)
          parts = text.match(/\A(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/) or return Time.now
          Time.utc(*parts.captures.map(&:to_i))
        rescue ArgumentError
          Time.now
        end
      end

      # Parses the subset of XML that S3 and STS use: elements that contain text or elements, but never elements with
      # the same name, and no document types.
      module XML
        ENTITIES = { "amp" => "&", "lt" => "<", "gt" => ">", "quot" => '"', "apos" => "'" }.freeze
        ENTITY = /&(?:#(\d{1,7})|#x(\h{1,6})|(\w+));/
        private_constant :ENTITIES, :ENTITY

        module_function

        # [String]: the content of each element with this name. Takes linear time.
        def elements(text, name)
          text.split(/<#{name}(?:\s[^<>]*)?>/).drop(1).filter_map do |part|
            inside, ending, = part.partition("</#{name}>")
            inside unless ending.empty?
          end
        end

        # The text in the first element with this name, or nil.
        def value(text, name)
          found = text[%r{<#{name}(?:\s[^<>]*)?>([^<]*)</#{name}>}, 1]
          found&.dup&.force_encoding(Encoding::UTF_8)&.scrub&.gsub(ENTITY) { character($~) }
        end

        def character(match)
          return ENTITIES.fetch(match[3], match[0]) if match[3]

          (match[1]&.to_i || match[2].hex).chr(Encoding::UTF_8)
        rescue RangeError # not a valid code point
          match[0]
        end
        private_class_method :character
      end
    end
  end
end
