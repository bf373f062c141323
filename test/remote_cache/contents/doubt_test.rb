# frozen_string_literal: true

require "remote_cache/entries"
require "json"
require "support/scripted_server"
require "time"

# What is collected where a server's clock is another, or where it does not tell when something was written.
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

  # A server with one blob, so many seconds old, whose clock is so much before this machine's.
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

  # Names that went of what is older than a day.
  def collected(...)
    server(...)
    cache = RemoteCache.transport(@server.url, env: {})
    RemoteCache::Contents.new(cache, trust: trust, store: @store).collect(before: Time.now - DAY)
    @gone
  ensure
    cache&.close
  end

  def test_another_clock
    [-60, 0, 60].map { |days| days * DAY }.each do |ahead|
      assert_empty collected(22 * HOUR, ahead: ahead), ahead
      assert_equal ["/cas/#{hex("blob")}"], collected(26 * HOUR, ahead: ahead), ahead
    end
  end

  # It may be from now.
  def test_what_has_no_time_when_it_is_to_go
    assert_empty collected(26 * HOUR, told: false)
  end
end
