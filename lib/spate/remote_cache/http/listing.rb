# frozen_string_literal: true

require "json"
require "time"

module Spate
  module RemoteCache
    class HTTP
      # A server's list of a folder, in the format of nginx' autoindex_format json: an array with one entry per line.
      # Parsed while it arrives.
      #
      #   [
      #   { "name":"3f1c...", "type":"file", "mtime":"Fri, 27 Nov 2026 18:18:22 GMT", "size":7 },
      #   { "name":"a0b4...", "type":"file", "mtime":"Fri, 27 Nov 2026 18:20:09 GMT", "size":5 }
      #   ]
      class Listing
        # Maximum bytes of a line, and of the list: about three million entries.
        LINE = 4096
        LIMIT = 512 << 20
        # The response is not such a list, but perhaps an HTML page.
        None = Class.new(StandardError)

        # folder: "cas/" or "ac/". Yields name, size and Time of each entry.
        def initialize(folder, address, &block)
          @folder = folder
          @address = address
          @block = block
          @rest = "".b
          @state = :before
        end

        # Receives the bytes as they arrive. Raises None, Unavailable.
        def <<(bytes)
          @rest << bytes
          while (line = @rest.slice!(/\A[^\n]*\n/n))
            take(line)
          end
          return self if @rest.bytesize <= LINE
          raise None if @state == :before

          raise broken("sends a line of more than #{LINE} bytes in a list")
        end

        # Rejects a truncated list: names missing from it would be taken for removed.
        def finish
          take(@rest)
          raise None if @state == :before
          raise broken("broke off in a list") unless @state == :over
        end

        private

        def take(line)
          line = line.strip
          return if line.empty?

          if @state == :before
            raise None unless line.start_with?("[")

            @state = :within
            return take(line.byteslice(1..))
          end
          return @state = :over if @state == :within && line == "]"

          entry(line.delete_suffix(","))
        end

        def entry(line)
          found = JSON.parse(line) if @state == :within
          raise broken("sends a list of another form") unless found.is_a?(Hash)

          name, type, time, size = found.values_at("name", "type", "mtime", "size")
          name = "#{@folder}#{name}".scrub
          fit = type == "file" && size.is_a?(Integer) && !size.negative? && NAME.match?(name)
          @block.call(name, size, time(time)) if fit
        rescue JSON::ParserError
          raise broken("sends a list of another form")
        end

        # An invalid time counts as now, so that the file is too young to be removed.
        def time(text)
          Time.httpdate(text.to_s)
        rescue ArgumentError
          Time.now
        end

        def broken(fact) = Unavailable.new(:answer, @address, fact)
      end
    end
  end
end
