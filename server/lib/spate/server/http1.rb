# frozen_string_literal: true

module Spate
  module Server
    # HTTP/1.1 (RFC 9112) of one connection: bytes in, bytes out, no socket.
    module HTTP1
      autoload :BadRequest, "spate/server/http1/bad_request"
      autoload :Chunked, "spate/server/http1/chunked"
      autoload :Counted, "spate/server/http1/counted"
      autoload :Deadlines, "spate/server/http1/deadlines"
      autoload :Ending, "spate/server/http1/ending"
      autoload :Exchange, "spate/server/http1/exchange"
      autoload :Fields, "spate/server/http1/fields"
      autoload :Head, "spate/server/http1/head"
      autoload :Protocol, "spate/server/http1/protocol"
      autoload :Reasons, "spate/server/http1/reasons"
      autoload :Refusal, "spate/server/http1/refusal"
      autoload :ResponseHead, "spate/server/http1/response_head"
    end
  end
end
