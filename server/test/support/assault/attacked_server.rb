# frozen_string_literal: true

# The target of attacks: attacked_server.rb LIMITS, where LIMITS is JSON. Prints its port. For each line of stdin,
# prints the longest tick of a connection since the last line. Exits at the end of stdin.
#
#     /       five bytes         /big      1 MB
#     /never  no response        /unread   no response, and the request's body is not read
#     /read   the body's bytes are counted

$LOAD_PATH.unshift File.expand_path("../../../lib", __dir__), File.expand_path("../../../../bytes/lib", __dir__)
require "json"
require "socket"
require "spate/bytes"
require "spate/server"

include Spate::Server # rubocop:disable Style/MixinUsage -- a program

# CPU seconds of the longest tick, which delays other connections.
module Timed
  class << self
    attr_accessor :longest
  end
  self.longest = 0.0

  def tick(...)
    before = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
    super
  ensure
    took = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - before
    Timed.longest = took if took > Timed.longest
  end
end
Connection.prepend(Timed)

BIG = ("x" * (1 << 20)).freeze

count = lambda do |request|
  bytes = 0
  request.body&.on_chunk { |part| bytes += part.bytesize }
  request.body ? request.body.on_end { request.answer(Response.text(200, bytes.to_s)) } : (next Response.text(200, "0"))
  nil
end

handler = lambda do |request|
  case request.path
  when "/big" then Response.new(200, {}, BIG)
  when "/never", "/unread" then nil
  when "/read" then count.call(request)
  else Response.text(200, "hello")
  end
end

listener = TCPServer.new("127.0.0.1", 0)
listener.listen(1024)
limits = Limits.new(**JSON.parse(ARGV.fetch(0, "{}"), symbolize_names: true))
reactor = Reactor.new(listener, handler, limits: limits)
Thread.new do
  while $stdin.gets
    $stdout.puts Timed.longest
    $stdout.flush
    Timed.longest = 0.0
  end
  reactor.stop
end
$stdout.puts listener.local_address.ip_port
$stdout.flush
reactor.run
