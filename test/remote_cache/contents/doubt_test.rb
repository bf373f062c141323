# frozen_string_literal: true

require "remote_cache/entries"
require "json"
require "support/scripted_server"
require "time"

# Garbage collection with a server whose clock differs, or that reports no modification times.
class ContentsDoubtTest < Minitest::Test
  include CacheEntries

  HOUR = 3600
  DAY = 24 * HOUR

  def setup
    @store = Spate::Store.open(home: "#{folder}/home", env: {})
  end

  def teardown
    @server&.stop
    super
  end

  # A server with one blob. age: of the blob in seconds. ahead: seconds by which its clock is ahead of this machine's.
  # told: whether it sends Last-Modified.
  def server(age, ahead: 0, told: true)
    now = -> { Time.now + ahead }
    written = (now.call - age).httpdate
    gone = @gone = []
    listed = JSON.generate(name: hex("blob"), type: "file", mtime: written, size: 4)
    @server&.stop
    @server = ScriptedServer.new do |request|
      gone << request.path if request.verb == "DELETE"
      headers = { "Date" => now.call.httpdate, **(told ? { "Last-Modified" => written } : {}) }
      [200, request.path.end_with?("/cas/") ? "[\n#{listed}\n]\n" : "[]\n", headers]
    end.start
  end

  # Paths of the DELETE requests of a collection with an age limit of one day. Accepts the arguments of `server`.
  def collected(...)
    server(...)
    cache = RemoteCache.transport(@server.url, env: {})
    RemoteCache::Contents.new(cache, trust: trust, store: @store).collect(before: Time.now - DAY)
    @gone
  ensure
    cache&.close
  end

  def test_clock_of_the_server_differs
    [-60, 0, 60].map { |days| days * DAY }.each do |ahead|
      assert_empty collected(22 * HOUR, ahead: ahead), ahead
      assert_equal ["/cas/#{hex("blob")}"], collected(26 * HOUR, ahead: ahead), ahead
    end
  end

  # An entry without a time may be recent.
  def test_entry_without_a_time_is_not_collected
    assert_empty collected(26 * HOUR, told: false)
  end
end
