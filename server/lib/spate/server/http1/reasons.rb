# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # RFC 9110, section 15. A status without a phrase is sent without.
      module Reasons
        PHRASES = {
          200 => "OK", 201 => "Created", 204 => "No Content", 206 => "Partial Content", 301 => "Moved Permanently",
          302 => "Found", 303 => "See Other", 304 => "Not Modified", 307 => "Temporary Redirect",
          308 => "Permanent Redirect", 400 => "Bad Request", 401 => "Unauthorized", 403 => "Forbidden",
          404 => "Not Found", 405 => "Method Not Allowed", 412 => "Precondition Failed", 413 => "Content Too Large",
          416 => "Range Not Satisfiable", 431 => "Request Header Fields Too Large", 500 => "Internal Server Error",
          501 => "Not Implemented", 503 => "Service Unavailable", 505 => "HTTP Version Not Supported"
        }.freeze

        # "HTTP/1.1 200 OK\r\n", made once each.
        LINES = Hash.new { |_, status| "HTTP/1.1 #{status} \r\n" }
        PHRASES.each { |status, phrase| LINES[status] = "HTTP/1.1 #{status} #{phrase}\r\n".freeze }
        LINES.freeze
      end
    end
  end
end
