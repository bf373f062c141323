# frozen_string_literal: true

module Spate
  # An HTTP/2 server whose frames are Spate's buffers. A handler is given a Request and answers with a Response.
  # Only what is used is loaded.
  module Server
    autoload :AccessLog, "spate/server/access_log"
    autoload :Admin, "spate/server/admin"
    autoload :Allowance, "spate/server/allowance"
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
    autoload :Listener, "spate/server/listener"
    autoload :Log, "spate/server/log"
    autoload :Metrics, "spate/server/metrics"
    autoload :Native, "spate/server/native"
    autoload :Observer, "spate/server/observer"
    autoload :Profile, "spate/server/profile"
    autoload :Program, "spate/server/program"
    autoload :Rack, "spate/server/rack"
    autoload :Reactor, "spate/server/reactor"
    autoload :Refusals, "spate/server/refusals"
    autoload :Request, "spate/server/request"
    autoload :Response, "spate/server/response"
    autoload :Sink, "spate/server/sink"
    autoload :TLS, "spate/server/tls"
    autoload :Transport, "spate/server/transport"
    autoload :UsageError, "spate/server/error"
    autoload :VERSION, "spate/server/version"
    autoload :YJIT, "spate/server/yjit"
    autoload :Workers, "spate/server/workers"
  end
end
