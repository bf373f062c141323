# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # The answer to a request that never became one; the connection ends with it.
      module ErrorResponse
        # error: a BadRequest. head: whether the request is HEAD, whose answers have no content. As bytes.
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
