# frozen_string_literal: true

module Spate
  module Server
    # What a handler answers. `headers`: name => String or Array of Strings. `body`: nil, a String, a File, an IO,
    # anything with `each`, or one of Body's. `trailers`: a Hash, or a callable that answers one when the body is
    # through.
    class Response
      attr_reader :status, :headers, :body, :trailers

      # closed: called once, on the reactor's thread, when the response was sent or cannot be any more.
      def initialize(status, headers = {}, body = nil, trailers: nil, &closed)
        @status = status
        @headers = headers
        @body = Body.of(body)
        @trailers = trailers
        @closed = closed
      end

      # A response of plain text.
      def self.text(status, text, headers = {})
        fields = { "content-type" => "text/plain; charset=utf-8", "content-length" => text.bytesize.to_s }
        new(status, fields.merge(headers), text)
      end

      # Statuses that have no content, whatever the handler gave: RFC 9110, section 6.4.1.
      def bodiless? = @status == 204 || @status == 304 || @status < 200

      def late_fields
        @trailers.respond_to?(:call) ? @trailers.call : @trailers
      end

      # error: why the response could not be sent to its end, or nil.
      def close(error = nil)
        @body&.close
        closed, @closed = @closed, nil
        closed&.call(error)
      end
    end
  end
end
