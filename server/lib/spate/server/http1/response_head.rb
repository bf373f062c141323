# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # A response's status line and fields, and its framing (RFC 9112, sections 4 and 6.3).
      class ResponseHead
        LINE_BREAK = /[\r\n\0]/n
        NAME = /\A[!#$%&'*+\-.^_`|~0-9A-Za-z]+\z/

        # Formats fields as lines. Raises ArgumentError or TypeError.
        def self.lines(fields, into = +"")
          fields.each do |name, value|
            value.is_a?(Array) ? value.each { |one| line(into, name, one) } : line(into, name, value)
          end
          into
        end

        def self.line(into, name, value)
          raise ArgumentError, "the field's name #{name.inspect} cannot be sent" unless NAMES[name]
          raise TypeError, "the value of #{name} is not a String" unless value.is_a?(String)

          value = value.b unless value.ascii_only? # strings of two encodings cannot be joined
          raise ArgumentError, "the value of #{name} has a line break or a null byte" if value.match?(LINE_BREAK)

          into << name << ": " << value << "\r\n"
        end

        # Cache of valid field names. A handler uses only a few names.
        NAMES = Hash.new { |known, name| NAME.match?(name) && (known.size < 1024 ? known[-name] = true : true) }

        # length: the announced length of the body in bytes, or nil.
        attr_reader :length

        # body: nil when there is none. keep_alive: whether request and server allow it.
        def initialize(request, response, body, keep_alive)
          @request = request
          @response = response
          @headers = response.headers
          response.check
          @keep_alive = keep_alive && !closing?
          tunnel? ? open_tunnel : measure(body)
        end

        def chunked? = @chunked || false
        def keep_alive? = @keep_alive

        # Returns the head as bytes.
        def to_s
          text = +"".b
          text << (StatusLine::LINES[@response.status])
          ResponseHead.lines(@headers, text)
          text << "date: " << Response::HTTPDate.now << "\r\n" unless @headers.key?("date")
          text << @framing if @framing
          connection(text) unless @headers.key?("connection")
          text << "\r\n"
        end

        private

        def closing?
          told = @headers["connection"] and Fields.items(Array(told).join(",")).include?("close")
        end

        # Whether the connection becomes a tunnel, so that no request follows: RFC 9110, sections 9.3.6 and 15.2.2.
        def tunnel? = @response.status == 101 || (@request.verb == "CONNECT" && @response.status < 300)

        def open_tunnel
          raise ArgumentError, "status #{@response.status} without a tunnel" unless @response.tunnel
          raise ArgumentError, "a tunnel in HTTP/1.0" unless @request.chunked_answers?

          @keep_alive = false
          @headers = { "connection" => "upgrade", **@headers }.except("content-length", "transfer-encoding")
        end

        def measure(body)
          told = @headers["content-length"]
          @length = body && told ? told.to_i : nil
          coding = @headers["transfer-encoding"] and return own_coding(coding, body)
          return if @response.bodiless? || told
          return told_length(body) if body.nil? || (body.length && @response.trailers.nil?)

          return @keep_alive = false unless @request.chunked_answers?

          @chunked = true
          @framing = "transfer-encoding: chunked\r\n"
        end

        # The length of a HEAD response is unknown unless the handler set it.
        def told_length(body)
          @length = body&.length
          return if body.nil? && @request.head?

          @framing = "content-length: #{@length || 0}\r\n"
        end

        # Handles a transfer-encoding that the handler set. Chunks made by the handler are allowed; any other coding is
        # dropped.
        def own_coding(coding, body)
          return lengthless if coding == "chunked" && @request.chunked_answers? && !@response.bodiless?

          @headers = @headers.reject { |name, _| name == "transfer-encoding" }
          measure(body)
        end

        # Drops the content-length, because a transfer-encoding must not be combined with it (RFC 9112, section 6.2).
        def lengthless
          @length = nil
          @headers = @headers.reject { |name, _| name == "content-length" } if @headers.key?("content-length")
        end

        def connection(text)
          return text << "connection: close\r\n" unless @keep_alive

          text << "connection: keep-alive\r\n" unless @request.chunked_answers?
        end
      end
    end
  end
end
