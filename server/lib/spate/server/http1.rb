# frozen_string_literal: true

module Spate
  module Server
    # HTTP/1.1 (RFC 9112) for one connection: reads and writes bytes, without a socket.
    module HTTP1
      autoload :BadRequest, "spate/server/http1/status"
      autoload :ChunkedBody, "spate/server/http1/bodies"
      autoload :Deadlines, "spate/server/http1/deadlines"
      autoload :ErrorResponse, "spate/server/http1/status"
      autoload :Exchange, "spate/server/http1/exchange"
      autoload :Fields, "spate/server/http1/fields"
      autoload :Head, "spate/server/http1/head"
      autoload :HeadScanner, "spate/server/http1/head"
      autoload :Protocol, "spate/server/http1/protocol"
      autoload :ResponseHead, "spate/server/http1/response_head"
      autoload :SizedBody, "spate/server/http1/bodies"
      autoload :StatusLine, "spate/server/http1/status"
    end
  end
end
