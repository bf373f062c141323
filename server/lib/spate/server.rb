# frozen_string_literal: true

module Spate
  # A server for HTTP/2 and HTTP/1.1 that keeps frames in the buffers of Spate::Bytes. A handler receives a Request and
  # returns a Response. The parts of the server are loaded when they are first used.
  module Server
    autoload :Cache, "spate/server/cache"
    autoload :CommandLine, "spate/server/command_line"
    autoload :Connection, "spate/server/connection"
    autoload :ConnectionError, "spate/server/error"
    autoload :Error, "spate/server/error"
    autoload :Files, "spate/server/files"
    autoload :HTTP1, "spate/server/http1"
    autoload :HTTP2, "spate/server/http2"
    autoload :Limits, "spate/server/limits"
    autoload :Monitoring, "spate/server/monitoring"
    # The C extensions. They work on buffers and descriptors and contain no policy; native/http2 loads the other
    # extensions.
    autoload :Native, "spate/server/native/http2"
    autoload :Profile, "spate/server/profile"
    autoload :Rack, "spate/server/rack"
    autoload :Reactor, "spate/server/reactor"
    autoload :Request, "spate/server/request"
    autoload :Response, "spate/server/response"
    autoload :UsageError, "spate/server/error"
    autoload :VERSION, "spate/server/version"
    autoload :Workers, "spate/server/workers"

    # Seconds of the monotonic clock (Float).
    #
    # @!visibility private
    def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    Rack::Rackup.choose if defined?(::Rails::Server)
  end
end
