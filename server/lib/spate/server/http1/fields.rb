# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # Parses the lines of a request's fields or trailers (RFC 9112, section 5). Rejects blanks before the colon,
      # folding, line ends other than CRLF, and control characters.
      module Fields
        # The quantifiers are possessive. Blanks could match before the value or in it, so backtracking over a malformed
        # line would take quadratic time.
        LINE = /\G([!#$%&'*+\-.^_`|~0-9A-Za-z]++):[ \t]*+([^\x00-\x08\x0a-\x1f\x7f]*+)\r\n/n
        # Number of distinct names that are cached in lower case. The number is limited because a client may send any
        # names.
        REMEMBERED = 1024
        @names = {}

        # text: complete lines with their line ends. Returns [name in lower case, value, ...]. Raises BadRequest.
        def self.parse(text, most)
          count = text.count("\n")
          raise BadRequest.new("more than #{most} fields", 431) if count > most

          pairs = text.scan(LINE)
          raise BadRequest, "malformed field" if pairs.size != count

          fields = []
          pairs.each do |name, value|
            value.rstrip!
            fields << (@names[name] || remember(name)) << value.force_encoding(Encoding::UTF_8)
          end
          fields
        end

        # Returns the items of a list in lower case (RFC 9110, section 5.6.1). The value may contain invalid bytes.
        def self.items(value) = value.b.downcase.split(",").each(&:strip!)

        def self.remember(name)
          lower = -name.downcase.force_encoding(Encoding::UTF_8)
          @names[name.freeze] = lower if @names.size < REMEMBERED && name.bytesize < 64
          lower
        end
        private_class_method :remember
      end
    end
  end
end
