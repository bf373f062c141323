# frozen_string_literal: true

# ruby upload_server.rb PORT: responds with the number of bytes of the request body. The handler is called on the
# reactor's thread and responds when the body is complete.

$LOAD_PATH.unshift File.expand_path("../../lib", __dir__), File.expand_path("../../../bytes/lib", __dir__)
require "socket"
require "spate/server"

handler = lambda do |request|
  size = 0
  request.body.on_chunk(lent: true) { |part| size += part.bytesize }
  request.body.on_end { request.answer(Spate::Server::Response.text(200, size.to_s)) }
  nil
end

listener = TCPServer.new("127.0.0.1", Integer(ARGV.fetch(0)))
listener.listen(1024)
reactor = Spate::Server::Reactor.new(listener, handler)
Signal.trap(:TERM) { reactor.stop }
reactor.run
