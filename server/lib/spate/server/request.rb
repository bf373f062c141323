# frozen_string_literal: true

module Spate
  module Server
    # The argument of a handler. It is the same for both versions of HTTP.
    class Request
      autoload :Body, "spate/server/request/body"

      # @return [String] the method, for example "GET"
      attr_reader :verb
      # @return [String] "http" or "https"
      attr_reader :scheme
      # @return [String, nil] "localhost:8080"
      attr_reader :authority
      # @return [String] "/path?query" as sent
      attr_reader :target
      # @return [Body, nil] nil for a request without one
      attr_reader :body
      # @return [String] "HTTP/2" or "HTTP/1.1"
      attr_reader :version
      # @!visibility private
      # The time since which it waits for a thread of a Rack application: seconds, monotonic.
      attr_accessor :queued_at

      # A request without a client, for tests of handlers.
      #
      # @param verb [String]
      # @param target [String]
      # @param headers [Hash{String => String}]
      # @param version [String]
      # @param scheme [String]
      # @param authority [String, nil]
      # @param body [Body, nil]
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

      # @return [Hash{String => String}] field names in lower case to values; the values of repeated fields are joined
      def headers
        @headers ||= Request.gather(@fields, @first)
      end

      # @param name [String] in lower case
      # @return [String, nil] the value of a field
      def [](name) = headers[name]

      # Yields the fields in the order received.
      #
      # @yieldparam name [String] in lower case
      # @yieldparam value [String]
      # @return [void]
      def each_field(&block)
        return headers.each_pair(&block) unless @fields

        index = @first
        while (name = @fields[index])
          yield name, @fields[index + 1]
          index += 2
        end
      end

      # @return [Boolean] whether the method is HEAD: the response body is not sent
      def head? = @verb == "HEAD"

      # @return [String] the target without its query, still percent-encoded
      def path
        mark = @target.index("?")
        mark ? @target[0, mark] : @target
      end

      # @return [String, nil] the client's address
      def peer = @connection.peer

      # @return [Boolean] whether the client no longer waits for the response; may be called from any thread
      def abandoned? = @exchange.respond_to?(:abandoned?) && @exchange.abandoned?(@stream)

      # Sends the response of a handler that returned nil. May be called from any thread. A second response is closed
      # without being sent.
      #
      # @param response [Response]
      # @return [void]
      def answer(response)
        return @connection.post { answer(response) } unless @connection.here?
        return response.close if @answered

        @answered = true
        @exchange&.respond(@stream, response)
      end

      # Sends an interim response, for example 103 (RFC 8297). May be called from any thread. Not sent to HTTP/1.0
      # clients.
      #
      # @param status [Integer]
      # @param headers [Hash{String => String}]
      # @return [void]
      def inform(status, headers)
        return @connection.post { inform(status, headers) } unless @connection.here?

        @exchange&.inform(@stream, status, headers) unless @answered
      end

      # Takes over the connection's socket, on the reactor's thread. The block is called when the server releases it.
      #
      # @yieldparam socket [BasicSocket]
      # @yieldparam output [String] bytes that were not sent yet
      # @return [Boolean, nil] whether the socket can be taken over, which requires HTTP/1.1 without TLS and no response
      #   so far
      def hijack(&taker)
        return false if @answered || !@exchange.respond_to?(:hijack) || !@exchange.hijack(@stream, &taker)

        @answered = true
      end

      # @!visibility private

      # The Connection, or a Connection::Null.
      attr_reader :connection

      # Joins the values of a repeated field: RFC 9110, section 5.3, and for cookies RFC 9113, section 8.2.3.
      def self.join(name, known, value) = "#{known}#{name == "cookie" ? "; " : ", "}#{value}"

      # Converts [name, value, name, value, ...] to a Hash, starting at an offset.
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
      # entries before `first` are reserved for the protocol. exchange: `respond(stream, response)`, `inform(stream,
      # status, headers)` and `abandoned?(stream)` on the reactor's thread.
      def self.received(verb:, target:, scheme:, authority:, fields:, first:, version:, body:, connection:, exchange:,
                        stream: nil)
        # The keywords are listed, because forwarding them would allocate a Hash for each request.
        allocate.receive(verb: verb, target: target, scheme: scheme, authority: authority, fields: fields, first: first,
                         version: version, body: body, connection: connection, exchange: exchange, stream: stream)
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

      # Runs the handler; called by the protocol. When the handler raises, the client gets 500 and the error is logged.
      def handle(handler, log)
        response = handler.call(self)
        answer(response) if response
      rescue ConnectionError, HTTP2::StreamError
        raise
      rescue StandardError => e
        log&.call("#{@target.b}: #{e.class}: #{e.message.b}") # as bytes, because the encodings may differ
        answer(Response.failure)
      end
    end
  end
end
