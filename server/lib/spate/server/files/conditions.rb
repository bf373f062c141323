# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Whether a client has the file already: RFC 9110, section 13.
      class Conditions
        def initialize(request, entry)
          @request = request
          @etag = entry.etag
          @entry = entry
        end

        # 412: if-match.
        def failed?
          wanted = @request["if-match"]
          !wanted.nil? && !any?(wanted)
        end

        # 304: if-none-match, else if-modified-since.
        def unchanged?
          known = @request["if-none-match"]
          return any?(known) if known

          # Clients send back what they were given; another time is no proof of anything.
          @request["if-modified-since"] == @entry.modified
        end

        # Whether a range may be answered.
        def range?
          condition = @request["if-range"]
          condition.nil? || condition == @etag || condition == @entry.modified
        end

        private

        def any?(list) = list.strip == "*" || list.scan(%r{(?:W/)?("[^"]*")}).flatten.include?(@etag)
      end
    end
  end
end
