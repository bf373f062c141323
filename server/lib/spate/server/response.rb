# frozen_string_literal: true

module Spate
  module Server
    # A handler's response. `headers`: name => String or Array of Strings. `body`: nil, a String, a File, an IO, an
    # object with `each`, or one of Body's classes. `trailers`: a Hash, or a callable that returns one after the body.
    class Response
      autoload :Body, "spate/server/response/body"
      autoload :HTTPDate, "spate/server/response/http_date"

      attr_reader :status, :headers, :body, :trailers, :tunnel

      LENGTH = /\A\d{1,18}\z/

      # tunnel: for status 101, the Request::Body that receives the client's bytes from then on. closed: called once, on
      # the reactor's thread, when the response was sent or can no longer be sent.
      def initialize(status, headers = {}, body = nil, trailers: nil, tunnel: nil, &closed)
        @status = status
        @headers = headers
        @body = sender(body)
        @trailers = trailers
        @tunnel = tunnel
        @closed = closed
      end

      # A plain-text response.
      def self.text(status, text, headers = {})
        fields = { "content-type" => "text/plain; charset=utf-8", "content-length" => text.bytesize.to_s }
        new(status, fields.merge(headers), text)
      end

      # 503; the client may retry in a second.
      def self.busy(text) = self.text(503, text, "retry-after" => "1")

      def self.failure(headers = {}) = text(500, "The server failed.\n", headers)

      # Raises ArgumentError for a response that cannot be sent: after an interim status the client waits for another
      # one, and 101 needs a tunnel that receives the client's bytes.
      def check
        known = @status.between?(200, 999) || (@status == 101 && @tunnel)
        raise ArgumentError, "status #{@status} is not a final status" unless known

        length = @headers["content-length"]
        raise ArgumentError, "content-length is #{length.inspect}" unless length.nil? || LENGTH.match?(length.to_s)
      end

      # Statuses without content, even when the handler gave a body (RFC 9110, section 6.4.1).
      def bodiless? = @status == 204 || @status == 304

      def late_fields
        @trailers.respond_to?(:call) ? @trailers.call : @trailers
      end

      # error: why the response could not be sent completely, or nil.
      def close(error = nil)
        @body&.close
        @tunnel&.lose
        closed, @closed = @closed, nil
        closed&.call(error)
      end

      private

      # Returns the Body object that sends the source.
      def sender(source)
        case source
        when nil, Body::Bytes, Body::FileRange, Body::Queue then source
        when String then Body::Bytes.new(source)
        when File then Body::FileRange.new(source)
        when IO then Body::Pipe.new(source)
        else source.respond_to?(:frames) ? source : Body::Chunks.new(source.each_entry, source)
        end
      end
    end
  end
end
