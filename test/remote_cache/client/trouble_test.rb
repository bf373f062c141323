# frozen_string_literal: true

require "test_helper"
require "socket"

# Requests to a malicious cache take a limited time and cause one warning.
class ClientTroubleTest < Minitest::Test
  RemoteCache = Spate::RemoteCache
  SHA256 = "a" * 64
  ANNOUNCED = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"

  def setup
    @listener = TCPServer.new("127.0.0.1", 0)
    @told = []
  end

  def teardown
    @server&.kill
    @listener.close
    super
  end

  # A client. Its server calls the block for each connection.
  def client
    @server = Thread.new do
      loop do
        Thread.new(@listener.accept) do |socket|
          Thread.current.report_on_exception = false
          socket.gets("\r\n\r\n")
          yield socket
        rescue SystemCallError
          nil # the client closed the connection
        end
      end
    end
    client_of("http://127.0.0.1:#{@listener.addr[1]}")
  end

  def client_of(address)
    events = Spate::Events.new.subscribe { |event| @told << event }
    settings = Spate::Settings.load(root: nil, env: { "HOME" => folder, "SPATE_CACHE" => address })
    RemoteCache.client(settings, events: events)
  end

  # An unreadable document is not requested again.
  def test_unreadable_documents
    cache = client { |socket| socket.write("HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n", "\x18\x00" * 200) }
    builds = Object.new
    def builds.choose(bytes, key, _places) = RemoteCache::Document.select_trusted(bytes, nil, "build", key)
    layout = Struct.new(:extensions_scope).new("x")
    queries = RemoteCache::Client::BuildQueries.new(cache, builds, layout: layout, store: nil)
    5.times { |number| assert_nil queries.choose(number.to_s * 64, "alpha-1.0") { nil } }

    assert_match(/has an invalid document: .* 128 fields; continuing without it/, @told.first[:message])
    assert_equal [1, 3], [@told.size, cache.tally[:failures]]
  end

  # An application with few gems sends fewer than three requests.
  def test_few_requests_that_all_failed
    page = "HTTP/1.1 %s OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"
    codes = [200, 200, 404]
    cache = client { |socket| socket.write(format(page, codes.shift)) }
    2.times { assert_nil cache.archive(SHA256, to: "#{folder}/archive") }
    assert_empty @told

    cache.warn_of_failure
    assert_match(/sent an HTML page\z/, @told.first[:message])
    assert_match(/address is not a cache's/, @told.first[:hint])
    assert_nil cache.archive(SHA256, to: "#{folder}/archive")
    cache.warn_of_failure
    assert_equal [1, 2], [@told.size, cache.tally[:failures]], "a miss is an answer"
  end

  # Sends data faster than the minimum speed for downloads from a gem source.
  def drip(socket, text)
    socket.write(text)
    loop do
      socket.write("x" * 20)
      sleep 0.1
    end
  end

  def test_slow_drip_is_not_an_answer
    ["HTTP/1.1 200 OK\r\nX: ", ANNOUNCED].each do |head|
      @told.clear
      slow = client { |socket| drip(socket, head) }
      threads = Array.new(3) { Thread.new { slow.archive(SHA256, to: "#{folder}/archive") } }

      assert_equal([nil] * 3, threads.map { |thread| thread.join(20)&.value })
      assert_match(/sent \d+ bytes in 1 seconds, expected 4916 at least; continuing without it/,
                   @told.first[:message])
      assert_equal [1, 3], [@told.size, slow.tally[:failures]]
      @server.kill
    end
  end
end
