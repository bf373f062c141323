# frozen_string_literal: true

require "test_helper"
require "socket"

# Closing aborts current requests and prevents new ones.
class ConnectionsTest < Minitest::Test
  HTTP = Spate::HTTP

  def setup
    @server = TCPServer.new("127.0.0.1", 0)
    @connections = HTTP::Connections.new(proxy: HTTP::Proxy.new(env: {}), certificates: nil, timeout: 5)
  end

  def teardown
    @server.close
    super
  end

  def test_connection_opened_after_closing_is_not_used
    begun = Thread::Queue.new
    looked_up = Thread::Queue.new
    @connections.instance_variable_get(:@addresses).define_singleton_method(:look_up) do |_host|
      begun << true
      looked_up.pop
    end
    thread = Thread.new { @connections.with(URI("http://cache.test:#{@server.addr[1]}/")) { :used } }
    thread.report_on_exception = false
    begun.pop
    @connections.close
    looked_up << ["127.0.0.1"]

    assert_raises(Spate::Util::Cancelled) { thread.value }
    assert_equal "", @server.accept.read, "it is closed"
  end
end
