# frozen_string_literal: true

module Spate
  module Server
    # HTTP/2 (RFC 9113) for one connection: reads and writes bytes, without a socket.
    module HTTP2
      autoload :ConnectionError, "spate/server/http2/errors"
      autoload :ConnectionWindow, "spate/server/http2/windows"
      autoload :Deadlines, "spate/server/http2/deadlines"
      autoload :ErrorCode, "spate/server/http2/errors"
      autoload :Frame, "spate/server/http2/frame"
      autoload :GracefulShutdown, "spate/server/http2/graceful_shutdown"
      autoload :PeerSettings, "spate/server/http2/peer_settings"
      autoload :Protocol, "spate/server/http2/protocol"
      autoload :ReceiveWindow, "spate/server/http2/windows"
      autoload :Requests, "spate/server/http2/requests"
      autoload :Responses, "spate/server/http2/responses"
      autoload :Scheduler, "spate/server/http2/scheduler"
      autoload :Stream, "spate/server/http2/stream"
      autoload :StreamError, "spate/server/http2/errors"
      autoload :Streams, "spate/server/http2/streams"

      # The client's connection preface (section 3.4).
      PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".b.freeze
    end
  end
end
