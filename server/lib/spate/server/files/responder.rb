# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Creates a Response from a representation: checks conditions first, then ranges.
      class Responder
        # threads: the ThreadPool for reading ahead. open: called with a Representation whose content is not in memory;
        # returns a Native::Found to read from.
        def initialize(threads, &open)
          @threads = threads
          @open = open
        end

        # Returns a Response. The length of the representation must be known.
        def to(request, representation)
          refusal(request, representation) || fulfilled(request, representation)
        end

        # Returns a Response with status 304 or 412, or nil if the content is to be sent.
        def refusal(request, representation)
          fields = request.headers
          return unless fields["if-none-match"] || fields["if-modified-since"] || fields["if-match"] ||
                        fields["if-unmodified-since"]

          status = Conditions.new(request, representation).status
          return unless status

          headers = representation.basic
          return Response.new(status, headers) unless status == 412

          Response.text(status, "The file does not match the condition.\n", headers)
        end

        def fulfilled(request, representation)
          return Response.new(200, representation.whole) if request.head?

          value = request["range"]
          ranges = value && ranges(request, representation, value)
          return whole(representation) unless ranges
          return unsatisfiable(representation) if ranges == :unsatisfiable

          ranges.one? ? part(representation, *ranges.first) : parts(representation, ranges)
        end

        private

        def whole(representation)
          content = representation.content
          body = content ? Response::Body::Bytes.new(content) : file(representation, 0, representation.size)
          Response.new(200, representation.whole, body)
        end

        # Compressed output does not support ranges, because its bytes may differ between requests.
        def ranges(request, representation, value)
          return if representation.made? || !Conditions.new(request, representation).range?

          Ranges.of(value, representation.size)
        end

        def part(representation, first, length)
          headers = representation.part
          headers["content-range"] = "bytes #{first}-#{first + length - 1}/#{representation.size}"
          headers["content-length"] = length.to_s
          Response.new(206, headers, body(representation, first, length))
        end

        def parts(representation, ranges)
          headers = representation.part
          source = @open.call(representation) unless representation.content
          multipart = Ranges::Multipart.new(headers["content-type"], representation.size, ranges) do |first, length|
            source ? part_of(source, first, length) : body(representation, first, length)
          end
          headers["content-type"] = multipart.type
          headers["content-length"] = multipart.length.to_s
          Response.new(206, headers, multipart)
        end

        def body(representation, first, length)
          content = representation.content
          content ? Response::Body::Bytes.new(content.byteslice(first, length)) : file(representation, first, length)
        end

        def file(representation, first, length)
          part_of(@open.call(representation), first, length)
        end

        def part_of(found, first, length)
          ahead = ReadAhead.new(found, first, first + length, @threads)
          Response::Body::FileRange.new(found, first, length, ahead: ahead)
        end

        def unsatisfiable(representation)
          headers = representation.basic
          headers["content-range"] = "bytes */#{representation.size}"
          Response.text(416, "The file has #{representation.size} bytes.\n", headers)
        end
      end
    end
  end
end
