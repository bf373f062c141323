# frozen_string_literal: true

require_relative "../transport_case"

# The first connections to a cache in a run, and when the cache is disabled for the run.
class RemoteCacheGreetingTest < Minitest::Test
  include TransportCase

  def setup
    @events = Spate::Events.new
    @told = []
    @events.subscribe { |event| @told << event.fetch(:message) if event[:event] == :warning }
  end

  def teardown
    @client&.close
    [*@sockets].each(&:close)
    super
  end

  def client(address)
    @client = RemoteCache::Client.new(events: @events) { |read| transport(address, connect: 0.3, read: read) }
  end

  # A port that accepts no connections, because its queue is full.
  def silent
    listener = Socket.new(:INET, :STREAM)
    listener.bind(Addrinfo.tcp("127.0.0.1", 0))
    listener.listen(0)
    queue = Array.new(2) { Socket.new(:INET, :STREAM) }
    queue.each { |socket| socket.connect_nonblock(listener.local_address, exception: false) }
    @sockets = [listener, *queue]
    "http://127.0.0.1:#{listener.local_address.ip_port}"
  end

  def archive = @client.archive("a" * 64, to: "#{folder}/archive")
  def document = @client.document("b" * 64)

  # Requests for archives and builds wait only once in total.
  def test_server_that_does_not_respond
    client(silent).connect_early
    assert_nil archive
    assert_nil document
    assert_equal [1, 3], [@told.size, @client.tally[:failures]], @told
  end

  def test_server_that_refuses_connections
    client("http://127.0.0.1:#{ServerProgram.free_port}").connect_early
    assert_nil archive
    assert_nil document
    assert_match(/refused.*; continuing without it/i, @told.fetch(0))
    assert_equal 1, @told.size
  end

  # The connections that were opened in advance are used for the requests.
  def test_server_that_accepts_connections
    server = TCPServer.new("127.0.0.1", 0)
    @sockets = [server]
    accepted = []
    answering = Thread.new { loop { accepted << server.accept.tap { |socket| Thread.new { serve(socket) } } } }
    client("http://127.0.0.1:#{server.addr[1]}").connect_early
    5.times { assert_nil archive }
    assert_includes 1..3, accepted.size
    assert_empty @told
    assert_operator now, :>=, @client.answered_at
  ensure
    answering&.kill
  end

  def serve(socket)
    socket.write("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n") while socket.gets("\r\n\r\n")
  end

  def test_folder_cache_opens_no_connections
    client(folder).connect_early
    assert_nil archive
    assert_empty @told
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
