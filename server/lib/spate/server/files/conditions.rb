# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Evaluates preconditions (RFC 9110, section 13, in the order of 13.2.2).
      class Conditions
        TAG = %r{\G[ \t,]*((?:W/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|\z)}n

        # Conditions are compared with the etag and the modification time of this representation.
        def initialize(request, representation)
          @request = request
          @tag = representation.etag
          @modified = representation.modified
          @seconds = representation.seconds
        end

        # Returns 412, 304 or nil.
        def status
          return 412 unless wanted?

          304 if known?
        end

        # Whether a range may be served (section 13.1.5). The validator must be strong.
        def range?
          condition = @request["if-range"]
          return true if condition.nil?
          return condition == @tag if condition.start_with?('"')

          # A time is a strong validator only if the file cannot change again within the same second (section 8.8.2.2).
          condition == @modified && Response::HTTPDate.second - @seconds > 1
        end

        private

        # Steps 1 and 2 of section 13.2.2: If-Match and If-Unmodified-Since.
        def wanted?
          tags = @request["if-match"]
          return listed?(tags, @tag) if tags && !@tag.start_with?("W/")
          return tags.b.strip == "*" if tags

          time = seconds("if-unmodified-since")
          time.nil? || @seconds <= time
        end

        # Steps 3 and 4: If-None-Match and If-Modified-Since.
        def known?
          tags = @request["if-none-match"]
          return listed?(tags, @tag, weak: true) if tags

          value = @request["if-modified-since"] or return false
          return true if value == @modified

          time = Response::HTTPDate.seconds(value)
          !time.nil? && @seconds <= time
        end

        def seconds(name)
          value = @request[name]
          value && Response::HTTPDate.seconds(value)
        end

        # Whether a list of tags contains the tag: sections 8.8.3.2 and 13.1. Weak tags never match strongly. A
        # malformed list matches nothing.
        def listed?(list, tag, weak: false)
          return true if list.b.strip == "*"

          tag = tag.delete_prefix("W/") if weak
          each_tag(list) { |one| return true if (weak ? one.delete_prefix("W/") : one) == tag }
          false
        end

        def each_tag(list)
          bytes = list.b
          position = 0
          while (match = TAG.match(bytes, position))
            yield match[1]
            position = match.end(0)
          end
        end
      end
    end
  end
end
