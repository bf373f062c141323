# frozen_string_literal: true

require "test_helper"
require "socket"

# A client replaces its persistent connections after a restart of the server, and waits for a silent server only once.
class HTTPClientTest < Minitest::Test
  MISSING = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"

  def setup
    @server = TCPServer.new("127.0.0.1", 0)
    @accepted = Thread::Queue.new
    @accepting = Thread.new { loop { @accepted << @server.accept } }
    @cache = Spate::RemoteCache.transport("http://127.0.0.1:#{@server.addr[1]}", env: {}, connect: 1, read: 1)
  end

  def teardown
    @accepting.kill.join
    @server.close unless @server.closed?
    @cache.close
    @sockets.to_a.each(&:close)
  end

  def ask(name) = Thread.new { @cache.head("cas/#{name * 64}") }.tap { |thread| thread.report_on_exception = false }

  # Opens connections that have received one response each. Returns the server's ends.
  def kept(count)
    asking = Array.new(count) { ask("a") }
    @sockets = Array.new(count) { @accepted.pop }
    @sockets.each { |socket| request(socket) }.each { |socket| socket.write(MISSING) }
    asking.each(&:value)
    @sockets
  end

  def request(socket)
    nil until socket.gets == "\r\n"
  end

  def refused(thread)
    assert_raises(Spate::RemoteCache::Unavailable) { thread.join(20) or flunk("it is retried forever") }
  end

  # Each old connection is tried once, then a new one is opened.
  def test_server_that_is_restarted
    kept(3).each(&:close)
    asking = ask("b")
    request(socket = @accepted.pop)
    socket.write(MISSING)
    assert_nil asking.value
  ensure
    socket&.close
  end

  def test_a_server_that_ended
    sockets = kept(1)
    @accepting.kill.join
    @server.close
    sockets.each(&:close)
    assert_equal :refused, refused(ask("b")).reason
  end

  # Other connections would also get no response.
  def test_silent_server_is_waited_for_once
    sockets = kept(5)
    assert_equal :slow, refused(ask("b")).reason
    told = sockets.count { |socket| socket.wait_readable(0) && !socket.read_nonblock(1, exception: false).nil? }
    assert_equal [1, 0], [told, @accepted.size]
  end
end
