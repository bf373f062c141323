# frozen_string_literal: true

module Spate
  module Server
    # A handler's response.
    class Response
      autoload :Body, "spate/server/response/body"
      autoload :HTTPDate, "spate/server/response/http_date"

      # @return [Integer] for example 200
      attr_reader :status
      # @return [Hash{String => String, Array<String>}] names in lower case
      attr_reader :headers
      # @return [Object, nil] the object that sends the body, for example a Body::Bytes
      attr_reader :body
      # @return [Hash{String => String}, #call, nil] fields after the body
      attr_reader :trailers
      # @return [Request::Body, nil] receives the client's bytes after status 101
      attr_reader :tunnel

      LENGTH = /\A\d{1,18}\z/

      # The block is called once, on the reactor's thread, when the response was sent or can no longer be sent.
      #
      # @param status [Integer]
      # @param headers [Hash{String => String, Array<String>}] names in lower case
      # @param body [String, File, IO, #each, Body::Queue, nil]
      # @param trailers [Hash{String => String}, #call, nil] fields, or a callable that returns them after the body
      # @param tunnel [Request::Body, nil] for status 101: receives the client's bytes from then on
      # @yieldparam error [Exception, nil] why the response could not be sent completely
      def initialize(status, headers = {}, body = nil, trailers: nil, tunnel: nil, &closed)
        @status = status
        @headers = headers
        @body = sender(body)
        @trailers = trailers
        @tunnel = tunnel
        @closed = closed
      end

      # A plain-text response.
      #
      # @param status [Integer]
      # @param text [String]
      # @param headers [Hash{String => String}]
      # @return [Response]
      def self.text(status, text, headers = {})
        fields = { "content-type" => "text/plain; charset=utf-8", "content-length" => text.bytesize.to_s }
        new(status, fields.merge(headers), text)
      end

      # A response with status 503; the client may retry in a second.
      #
      # @param text [String]
      # @return [Response]
      def self.busy(text) = self.text(503, text, "retry-after" => "1")

      # A response with status 500.
      #
      # @param headers [Hash{String => String}]
      # @return [Response]
      def self.failure(headers = {}) = text(500, "The server failed.\n", headers)

      # @!visibility private

      # Raises ArgumentError for a response that cannot be sent. An interim status is not allowed, because the client
      # would wait for another response. Status 101 needs a tunnel that receives the client's bytes.
      def check
        known = @status.between?(200, 999) || (@status == 101 && @tunnel)
        raise ArgumentError, "status #{@status} is not a final status" unless known

        length = @headers["content-length"]
        raise ArgumentError, "content-length is #{length.inspect}" unless length.nil? || LENGTH.match?(length.to_s)
      end

      # Whether the status excludes content, even if the handler returned a body (RFC 9110, section 6.4.1).
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
