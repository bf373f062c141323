# frozen_string_literal: true

# ruby hot_server.rb '{"profile": ..., ...}': serves a handler that spends its time in one method. The argument contains
# the options of Profile.attach. Prints its address, then the log.

require "json"
require "socket"
require "spate/server"

# The profile must contain Hot.burn.
module Hot
  BYTES = ("\x01\x02\x03\x04" * 4096).b.freeze

  def self.burn = 4.times { BYTES.unpack("C*").pack("C*") }
  def self.call(_request) = Spate::Server::Response.text(200, "burnt #{burn}\n")
end

listener = TCPServer.new("127.0.0.1", 0)
listener.listen(128)
options = JSON.parse(ARGV.fetch(0), symbolize_names: true)
Spate::Server::Profile.attach(options, log: ->(line) { warn line })
reactor = Spate::Server::Reactor.new(listener, Hot)
Signal.trap(:TERM) { reactor.stop }
warn "http://127.0.0.1:#{listener.local_address.ip_port}"
reactor.run
