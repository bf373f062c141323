# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # Status lines: RFC 9110, section 15. An unknown status is sent without a phrase.
      module StatusLine
        PHRASES = {
          100 => "Continue", 101 => "Switching Protocols", 103 => "Early Hints",
          200 => "OK", 201 => "Created", 202 => "Accepted", 203 => "Non-Authoritative Information", 204 => "No Content",
          205 => "Reset Content", 206 => "Partial Content", 300 => "Multiple Choices", 301 => "Moved Permanently",
          302 => "Found", 303 => "See Other", 304 => "Not Modified", 307 => "Temporary Redirect",
          308 => "Permanent Redirect", 400 => "Bad Request", 401 => "Unauthorized", 402 => "Payment Required",
          403 => "Forbidden", 404 => "Not Found", 405 => "Method Not Allowed", 406 => "Not Acceptable",
          407 => "Proxy Authentication Required", 408 => "Request Timeout", 409 => "Conflict", 410 => "Gone",
          411 => "Length Required", 412 => "Precondition Failed", 413 => "Content Too Large", 414 => "URI Too Long",
          415 => "Unsupported Media Type", 416 => "Range Not Satisfiable", 417 => "Expectation Failed",
          421 => "Misdirected Request", 422 => "Unprocessable Content", 423 => "Locked", 425 => "Too Early",
          426 => "Upgrade Required", 428 => "Precondition Required", 429 => "Too Many Requests",
          431 => "Request Header Fields Too Large", 451 => "Unavailable For Legal Reasons",
          500 => "Internal Server Error", 501 => "Not Implemented", 502 => "Bad Gateway", 503 => "Service Unavailable",
          504 => "Gateway Timeout", 505 => "HTTP Version Not Supported"
        }.freeze

        # Cache: 200 => "HTTP/1.1 200 OK\r\n".
        LINES = Hash.new { |_, status| "HTTP/1.1 #{Integer(status)} \r\n" }
        PHRASES.each { |status, phrase| LINES[status] = "HTTP/1.1 #{status} #{phrase}\r\n".freeze }
        LINES.freeze
      end

      # An invalid request. The connection ends after the error response.
      class BadRequest < StandardError
        attr_reader :status

        def initialize(reason, status = 400)
          super(reason)
          @status = status
        end
      end

      # The response to an invalid request. The connection ends after it.
      module ErrorResponse
        # Returns the response as bytes. error: a BadRequest. head: whether the method is HEAD, whose responses have no
        # content.
        def self.text(error, head: false)
          text = "#{StatusLine::PHRASES.fetch(error.status)}: #{error.message}.\n"
          "#{StatusLine::LINES[error.status]}content-type: text/plain; charset=utf-8\r\n" \
            "content-length: #{text.bytesize}\r\ndate: #{Response::HTTPDate.now}\r\nconnection: close\r\n\r\n" \
            "#{text unless head}"
        end
      end
    end
  end
end
