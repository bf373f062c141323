# frozen_string_literal: true

module Spate
  module Server
    # HTTP/2 (RFC 9113) of one connection: bytes in, bytes out, no socket.
    module HTTP2
      autoload :Code, "spate/server/http2/code"
      autoload :ConnectionError, "spate/server/http2/connection_error"
      autoload :Deadlines, "spate/server/http2/deadlines"
      autoload :Departure, "spate/server/http2/departure"
      autoload :Endings, "spate/server/http2/endings"
      autoload :FlowControl, "spate/server/http2/flow_control"
      autoload :FlowWindow, "spate/server/http2/flow_window"
      autoload :Frame, "spate/server/http2/frame"
      autoload :PeerSettings, "spate/server/http2/peer_settings"
      autoload :Priority, "spate/server/http2/priority"
      autoload :Protocol, "spate/server/http2/protocol"
      autoload :ReceiveWindow, "spate/server/http2/receive_window"
      autoload :Requests, "spate/server/http2/requests"
      autoload :Responses, "spate/server/http2/responses"
      autoload :Sender, "spate/server/http2/sender"
      autoload :Stream, "spate/server/http2/stream"
      autoload :StreamError, "spate/server/http2/stream_error"
      autoload :Streams, "spate/server/http2/streams"
      autoload :Turns, "spate/server/http2/turns"

      # What a client sends first: section 3.4.
      PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".b.freeze
    end
  end
end
