# frozen_string_literal: true

require "json"
require "time"

module Spate
  module RemoteCache
    class HTTP
      # A server's folder in the format of nginx' autoindex_format json: an array, an entry a line. Parsed as it comes.
      #
      #   [
      #   { "name":"3f1c...", "type":"file", "mtime":"Fri, 27 Nov 2026 18:18:22 GMT", "size":7 },
      #   { "name":"a0b4...", "type":"file", "mtime":"Fri, 27 Nov 2026 18:20:09 GMT", "size":5 }
      #   ]
      class Listing
        # Bytes of a line, and of all: some three million entries.
        LINE = 4096
        LIMIT = 512 << 20
        # The answer is not such a list, but perhaps an HTML page.
        None = Class.new(StandardError)

        # folder: "cas/" or "ac/". The block is given name, size and Time of each entry.
        def initialize(folder, address, &block)
          @folder = folder
          @address = address
          @block = block
          @rest = "".b
          @state = :before
        end

        # Bytes as they come. Raises None, Unavailable.
        def <<(bytes)
          @rest << bytes
          while (line = @rest.slice!(/\A[^\n]*\n/n))
            take(line)
          end
          return self if @rest.bytesize <= LINE
          raise None if @state == :before

          raise broken("sends a line of more than #{LINE} bytes in a list")
        end

        # A list that breaks off must not pass for a short one: what it does not name would be taken for gone.
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

        # An invalid time counts as now, and the file as too young to be collected.
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
