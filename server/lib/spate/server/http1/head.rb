# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # A request's line and fields: RFC 9112, sections 3 and 5. Strict: what two parsers could read differently is
      # refused.
      class Head
        TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/
        LINE = %r{\A(#{TOKEN}) (\S+) HTTP/(\d)\.(\d)\z}
        FIELD = /\A(#{TOKEN}):[ \t]*(.*?)[ \t]*\z/n
        ABSOLUTE = %r{\Ahttps?://[^/?#]*}i

        # "GET"; "/path?query"; name in lower case => value; bytes of the body.
        attr_reader :verb, :target, :headers, :length

        # text: all before the empty line, without it. BadRequest.
        def initialize(text, max_fields)
          line, *fields = text.split("\r\n", -1)
          read_line(line.to_s)
          raise BadRequest.new("more than #{max_fields} fields", 431) if fields.size > max_fields

          @headers = {}
          fields.each { |field| read_field(field) }
          check_host
          read_length
        end

        def authority = @headers["host"]

        # Section 9.3.
        def keep_alive?
          tokens = @headers.fetch("connection", "").downcase.split(/[ \t]*,[ \t]*/)
          @minor.positive? ? !tokens.include?("close") : tokens.include?("keep-alive")
        end

        def chunked_answers? = @minor.positive?
        def version = "HTTP/1.#{@minor}"

        private

        def read_line(line)
          match = LINE.match(line) or raise(BadRequest, "the request line cannot be read")
          raise BadRequest.new("HTTP/#{match[3]}.#{match[4]}", 505) if match[3] != "1"

          @verb = match[1]
          @target = match[2].sub(ABSOLUTE, "")
          @target = "/#{@target}" if @target.empty? || @target.start_with?("?")
          @minor = match[4].to_i
        end

        def read_field(field)
          match = FIELD.match(field) or raise(BadRequest, "a field cannot be read")
          name = match[1].downcase
          value = match[2].force_encoding(Encoding::UTF_8)
          raise BadRequest, "a field's value has a character that no value has" if value.b.match?(/[\0\r\n]/n)

          known = @headers[name]
          raise BadRequest, "#{name} comes twice" if known && %w[host content-length transfer-encoding].include?(name)

          @headers[name] = known ? Request.join(name, known, value) : value
        end

        def check_host
          raise BadRequest, "host is missing" if @minor.positive? && !@headers.key?("host")
        end

        # Section 6: a request with both ways to say its length is what smuggling is made of.
        def read_length
          if @headers.key?("transfer-encoding")
            raise BadRequest, "both content-length and transfer-encoding" if @headers.key?("content-length")

            raise BadRequest.new("a body of unknown length", 501)
          end
          length = @headers.fetch("content-length", "0")
          raise BadRequest, "content-length is no number" unless length.match?(/\A\d{1,18}\z/)

          @length = length.to_i
        end
      end
    end
  end
end
