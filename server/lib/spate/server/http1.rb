# frozen_string_literal: true

module Spate
  module Server
    # HTTP/1.1 (RFC 9112) of one connection: bytes in, bytes out, no socket.
    module HTTP1
      autoload :BadRequest, "spate/server/http1/bad_request"
      autoload :Head, "spate/server/http1/head"
      autoload :Protocol, "spate/server/http1/protocol"
      autoload :Reasons, "spate/server/http1/reasons"
    end
  end
end
