# frozen_string_literal: true

module Spate
  # An HTTP/2 server whose frames are Spate's buffers. A handler is given a Request and answers with a Response.
  # Only what is used is loaded.
  module Server
    autoload :Body, "spate/server/body"
    autoload :CommandLine, "spate/server/command_line"
    autoload :Connection, "spate/server/connection"
    autoload :Error, "spate/server/error"
    autoload :Files, "spate/server/files"
    autoload :HTTP1, "spate/server/http1"
    autoload :HTTP2, "spate/server/http2"
    autoload :HTTPDate, "spate/server/http_date"
    autoload :IncomingBody, "spate/server/incoming_body"
    autoload :Limits, "spate/server/limits"
    autoload :Native, "spate/server/native"
    autoload :Reactor, "spate/server/reactor"
    autoload :Request, "spate/server/request"
    autoload :Response, "spate/server/response"
    autoload :SelectPoller, "spate/server/select_poller"
    autoload :VERSION, "spate/server/version"
  end
end
