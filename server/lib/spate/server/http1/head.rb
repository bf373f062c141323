# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # A request's line and fields (RFC 9112, sections 3 and 5). Parses strictly: rejects input that two parsers could
      # interpret differently.
      class Head
        LINE = %r{\A([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([^\x00-\x20\x7f]+) HTTP/(\d)\.(\d)\r\n}n
        ABSOLUTE = %r{\Ahttps?://([^/?#]*)}in
        # RFC 3986, section 3.2, without user information.
        AUTHORITY = /\A(?:\[[\h:.]+\]|[-A-Za-z0-9._~%!$&'()*+,;=]*)(?::\d*)?\z/
        # LENGTH: a valid content-length. CODING: a valid transfer-encoding.
        LENGTH = /\A\d{1,18}\z/
        CODING = /\A[!#$%&'*+\-.^_`|~0-9A-Za-z]+\z/

        # verb: "GET". target: "/path?query", "*" or, for CONNECT, "host:port". fields: [name in lower case, value,
        # ...]. authority: "localhost:8080" or nil. length: bytes of the body, nil when chunked. version: "HTTP/1.1".
        attr_reader :verb, :target, :fields, :authority, :length, :version

        # text: everything before the empty line, including the last line end. Raises BadRequest.
        def initialize(text, max_fields)
          match = LINE.match(text) or raise(BadRequest, "malformed request line")
          read_line(match)
          @fields = Fields.parse(match.post_match, max_fields)
          @length = 0
          read_fields
          check_host
        rescue ArgumentError # raised by Ruby for invalid UTF-8
          raise BadRequest, "invalid bytes in the request"
        end

        # Whether the client allows another request on the connection: RFC 9112, section 9.3.
        def keep_alive?
          return @minor.positive? unless @connection

          tokens = Fields.items(@connection)
          @minor.positive? ? !tokens.include?("close") : tokens.include?("keep-alive")
        end

        def body? = @length.nil? || @length.positive?
        def chunked_answers? = @minor.positive?
        def head? = @verb == "HEAD"

        # Whether the client waits for 100 Continue before it sends its body (RFC 9110, section 10.1.1).
        def expects? = @expects || false

        private

        def read_line(match)
          raise BadRequest.new("HTTP/#{match[3]}.#{match[4]}", 505) if match[3] != "1"

          @verb = match[1]
          @minor = match[4].to_i
          @version = @minor.zero? ? "HTTP/1.0" : "HTTP/1.1"
          read_target(match[2].force_encoding(Encoding::UTF_8))
        end

        # RFC 9112, section 3.2.
        def read_target(target)
          @target = target
          return if target.start_with?("/") || @verb == "CONNECT"
          return if target == "*" && @verb == "OPTIONS"

          absolute = ABSOLUTE.match(target) or raise(BadRequest, "malformed request target")
          @named = absolute[1]
          @target = target.byteslice(absolute.end(0)..)
          return if @target.start_with?("/")

          @target = @target.empty? && @verb == "OPTIONS" ? "*" : "/#{@target}"
        end

        def read_fields
          index = 0
          while (name = @fields[index])
            value = @fields[index + 1]
            case name
            when "host" then @host = once(name, @host, value)
            when "content-length" then read_length(value)
            when "transfer-encoding" then read_coding(value)
            when "connection" then @connection = @connection ? "#{@connection}, #{value}" : value
            when "expect" then read_expectation(value)
            end
            index += 2
          end
        end

        def once(name, known, value)
          raise BadRequest, "duplicate #{name}" if known

          value
        end

        # The host in the target takes precedence (section 3.2.2). A host is required, but may be empty.
        def check_host
          raise BadRequest, "host is missing" if @host.nil? && @minor.positive?
          raise BadRequest, "malformed host" unless @host.nil? || @host.match?(AUTHORITY)
          raise BadRequest, "malformed host in the target" if @named && (@named.empty? || !@named.match?(AUTHORITY))

          @authority = @named || @host
        end

        # RFC 9112, section 6: a request with both content-length and transfer-encoding is a smuggling attempt.
        def read_length(value)
          raise BadRequest, "duplicate content-length" if @told_length
          raise BadRequest, "both content-length and transfer-encoding" if @coded
          raise BadRequest, "content-length is not a number" unless value.match?(LENGTH)

          @told_length = true
          @length = value.to_i
        end

        # RFC 9112, section 6.1: with a coding other than chunked, the end of the body and its content are unknown.
        def read_coding(value)
          raise BadRequest, "duplicate transfer-encoding" if @coded
          raise BadRequest, "both content-length and transfer-encoding" if @told_length
          raise BadRequest, "transfer-encoding in HTTP/1.0" if @minor.zero?

          unless same?(value, "chunked")
            known = value.match?(CODING) && %w[gzip x-gzip deflate compress x-compress].include?(value.downcase)
            raise BadRequest.new("transfer-encoding is not chunked", known ? 501 : 400)
          end

          @coded = true
          @length = nil
        end

        def read_expectation(value)
          return if @minor.zero?
          raise BadRequest.new("unsupported expectation", 417) unless same?(value, "100-continue")

          @expects = true
        end

        # Compares ASCII only: casecmp? would match the Kelvin sign with "k", which no proxy does.
        def same?(value, word) = value.casecmp(word).zero?
      end

      # Finds the empty line that ends a section, in input that arrives in pieces. Each call scans only new bytes, so
      # input in small pieces costs no more than other input.
      class HeadScanner
        LINES = "\r\n\r\n".b.freeze
        STRAY = /(?<!\r)\n/n

        # what: the name of the section, for error messages.
        def initialize(what)
          @what = what
          @looked = 0
        end

        # Returns the offset, relative to `from`, of the line end before the empty line, or nil when it has not arrived.
        # Raises BadRequest for a line that ends in LF alone, and for a section of more than `most` bytes.
        def find(view, from, to, most)
          length = [to - from, most + LINES.bytesize].min
          known = [@looked - LINES.bytesize + 1, 0].max
          text = view.get_bytes(from + known, length - known)
          at = text.index(LINES) and return known + at
          raise BadRequest, "a line of the #{@what} ends without CR" if text.match?(STRAY, known.zero? ? 0 : 1)
          raise BadRequest.new("more than #{most} bytes of #{@what}", 431) if length == most + LINES.bytesize

          @looked = length
          nil
        end
      end
    end
  end
end
