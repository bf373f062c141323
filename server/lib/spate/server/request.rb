# frozen_string_literal: true

module Spate
  module Server
    # What a handler is given; the same for both versions of HTTP.
    class Request
      # Several fields of a name are one: RFC 9110, section 5.3; cookies by RFC 9113, section 8.2.3.
      def self.join(name, known, value) = "#{known}#{name == "cookie" ? "; " : ", "}#{value}"

      # "GET"; "http"; "localhost:8080" or nil; "/path?query" as it was sent; names in lower case to values; an
      # IncomingBody or nil; "HTTP/2" or "HTTP/1.1".
      attr_reader :verb, :scheme, :authority, :target, :headers, :body, :version

      def initialize(verb:, target:, headers:, version:, scheme: "http", authority: nil, body: nil, &answer)
        @verb = verb
        @target = target
        @headers = headers
        @version = version
        @scheme = scheme
        @authority = authority
        @body = body
        @answer = answer
      end

      # The value of a field, or nil.
      def [](name) = @headers[name]

      def head? = @verb == "HEAD"

      # The target without its query, still percent-encoded.
      def path
        mark = @target.index("?")
        mark ? @target[0, mark] : @target
      end

      # For a handler that returned nil and answers later, on the reactor's thread. The second answer is ignored.
      def answer(response)
        answer, @answer = @answer, nil
        answer&.call(response)
      end
    end
  end
end
