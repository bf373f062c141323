# frozen_string_literal: true

# A TLS server for tests: tls_server.rb FOLDER OPTIONS, where OPTIONS is JSON: cert, key, folder, limits. Serves the
# files of the folder. Responds to a POST with the length and SHA-256 of its body. SIGHUP reloads the certificate.
# Prints its port first.

$LOAD_PATH.unshift File.expand_path("../../../lib", __dir__), File.expand_path("../../../../bytes/lib", __dir__)
require "digest"
require "json"
require "socket"
require "spate/server"

root = ARGV.fetch(0)
options = JSON.parse(ARGV.fetch(1), symbolize_names: true)
limits = Spate::Server::Limits.new(**options.fetch(:limits, {}))
tls = Spate::Server::Connection::TLS.load(**options.slice(:cert, :key, :folder))
files = Spate::Server::Files.new(root)

handler = lambda do |request|
  next files.call(request) unless request.verb == "POST"

  digest = Digest::SHA256.new
  length = 0
  request.body.on_chunk { |bytes| digest << bytes.to_s and length += bytes.bytesize }
  request.body.on_end do
    request.answer(Spate::Server::Response.text(200, "#{length} #{digest.hexdigest}"))
  end
  nil
end

observer = Class.new do
  def opened = nil
  def answered(*) = nil
  def refused(connection, reason, _code) = warn("refused #{connection&.peer}: #{reason}")
  def every_second(_reactor) = nil
  def flush = nil
  def close = nil
end

listener = TCPServer.new("127.0.0.1", 0)
listener.listen(1024)
reactor = Spate::Server::Reactor.new(listener, handler, limits: limits, log: ->(line) { warn line }, tls: tls,
                                                        observer: observer.new)
%w[INT TERM].each { |name| Signal.trap(name) { reactor.stop } }
Signal.trap("HUP") do
  reactor.post(nil) do
    tls.reload
    warn "reloaded"
  rescue Spate::Server::Error => e
    warn "not reloaded: #{e.message}"
  end
end
warn "listening on 127.0.0.1:#{listener.local_address.ip_port}"
reactor.run
