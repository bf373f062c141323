# frozen_string_literal: true

module Spate
  module Server
    # The argument of a handler; the same for both versions of HTTP.
    class Request
      autoload :Body, "spate/server/request/body"

      # Joins the values of repeated fields: RFC 9110, section 5.3; for cookies RFC 9113, section 8.2.3.
      def self.join(name, known, value) = "#{known}#{name == "cookie" ? "; " : ", "}#{value}"

      # [name, value, name, value, ...] from an offset on, as a Hash.
      def self.gather(fields, offset = 0)
        headers = {}
        while (name = fields[offset])
          value = fields[offset + 1]
          known = headers[name]
          headers[name] = known ? join(name, known, value) : value
          offset += 2
        end
        headers
      end

      # Called by the protocols for each request. fields: in the order received, [name in lower case, value, ...]; the
      # request's own begin at `first`. exchange: `respond(stream, response)`, `inform(stream, status, headers)` and
      # `abandoned?(stream)` on the reactor's thread.
      def self.received(verb:, target:, scheme:, authority:, fields:, first:, version:, body:, connection:, exchange:,
                        stream: nil)
        # Spelled out, because forwarding keywords would allocate a Hash for each request.
        allocate.receive(verb: verb, target: target, scheme: scheme, authority: authority, fields: fields, first: first,
                         version: version, body: body, connection: connection, exchange: exchange, stream: stream)
      end

      # "GET"; "http"; "localhost:8080" or nil; "/path?query" as sent; a Request::Body or nil; "HTTP/2" or "HTTP/1.1"; a
      # Connection or Connection::Null.
      attr_reader :verb, :scheme, :authority, :target, :body, :version, :connection

      def initialize(verb:, target:, headers:, version:, scheme: "http", authority: nil, body: nil)
        @verb = verb
        @target = target
        @headers = headers
        @version = version
        @scheme = scheme
        @authority = authority
        @body = body
        @connection = Connection::Null::ONE
      end

      def receive(verb:, target:, scheme:, authority:, fields:, first:, version:, body:, connection:, exchange:,
                  stream:)
        @verb = verb
        @target = target
        @scheme = scheme
        @authority = authority
        @fields = fields
        @first = first
        @version = version
        @body = body
        @connection = connection
        @exchange = exchange
        @stream = stream
        self
      end

      # Field names in lower case to values; the values of repeated fields are joined.
      def headers
        @headers ||= Request.gather(@fields, @first)
      end

      # The value of a field, or nil.
      def [](name) = headers[name]

      # Yields each field's name and value, in the order received.
      def each_field(&block)
        return headers.each_pair(&block) unless @fields

        index = @first
        while (name = @fields[index])
          yield name, @fields[index + 1]
          index += 2
        end
      end

      # Whether the method is HEAD: the response body is not sent.
      def head? = @verb == "HEAD"

      # The target without its query, still percent-encoded.
      def path
        mark = @target.index("?")
        mark ? @target[0, mark] : @target
      end

      # The client's address, or nil.
      def peer = @connection.peer

      # Whether the client no longer waits for the response. From any thread.
      def abandoned? = @exchange.respond_to?(:abandoned?) && @exchange.abandoned?(@stream)

      # Called by the protocol: runs the handler. When it raises, the client gets 500 and the error is logged.
      def handle(handler, log)
        response = handler.call(self)
        answer(response) if response
      rescue ConnectionError, HTTP2::StreamError
        raise
      rescue StandardError => e
        log&.call("#{@target.b}: #{e.class}: #{e.message.b}") # the encodings may differ
        answer(Response.failure)
      end

      # For a handler that returned nil and answers later, from any thread. A second response is closed without being
      # sent.
      def answer(response)
        return @connection.post { answer(response) } unless @connection.here?
        return response.close if @answered

        @answered = true
        @exchange&.respond(@stream, response)
      end

      # Sends an interim response, from any thread: 103 and its fields (RFC 8297). Not sent to HTTP/1.0 clients.
      def inform(status, headers)
        return @connection.post { inform(status, headers) } unless @connection.here?

        @exchange&.inform(@stream, status, headers) unless @answered
      end

      # On the reactor's thread: takes over the connection's socket. When the server has released it, the block is
      # called with the socket and the unsent output. Returns whether that is possible: in HTTP/1.1 without TLS, before
      # the response.
      def hijack(&taker)
        return false if @answered || !@exchange.respond_to?(:hijack) || !@exchange.hijack(@stream, &taker)

        @answered = true
      end
    end
  end
end
