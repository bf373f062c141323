# frozen_string_literal: true

require "json"
require "remote_cache/transport_case"

# The listing of a server must be complete, or an error.
class HTTPListingTest < Minitest::Test
  include TransportCase

  NAMES = %w[a b].map { |digit| digit * 64 }.freeze
  TIME = "Fri, 27 Nov 2026 18:18:22 GMT"

  def setup
    @listener = TCPServer.new("127.0.0.1", 0)
  end

  def teardown
    @server&.kill&.join
    @listener.close
    super
  end

  # The listing of a server that responds with `body`: a String, or a Proc that accepts the socket.
  def listed(body, status: "200 OK", type: "application/json")
    @server&.kill&.join
    @server = Thread.new do
      loop do
        client = @listener.accept
        client.gets("\r\n\r\n")
        client.write("HTTP/1.1 #{status}\r\nContent-Type: #{type}\r\nConnection: close\r\n\r\n")
        body.respond_to?(:call) ? body.call(client) : client.write(body)
      rescue SystemCallError
        nil # the client closed the connection
      ensure
        client&.close
      end
    end
    transport("http://127.0.0.1:#{@listener.addr[1]}", connect: 5, read: 10).each("cas/").to_a
  end

  def entry(name, **more) = JSON.generate({ name: name, type: "file", mtime: TIME, size: 7 }.merge(more))
  def list(*entries) = "[\r\n#{entries.join(",\r\n")}\r\n]\r\n"

  def test_entries
    time = Time.utc(2026, 11, 27, 18, 18, 22)

    assert_equal NAMES.map { |name| ["cas/#{name}", 7, time] }, listed(list(*NAMES.map { |name| entry(name) }))
    assert_empty listed("[]")
    assert_empty listed("[\n]")
  end

  def test_entries_that_do_not_belong_to_a_cache
    others = ["README", "../#{NAMES[0]}", "#{NAMES[0]}.1-a", 7, nil].map { |name| entry(name) }
    others += [entry(NAMES[0], type: "directory"), entry(NAMES[0], size: "7"), entry(NAMES[0], size: nil),
               entry(NAMES[0], size: -1)]
    others << entry("@").sub("@", "\xff")

    assert_equal ["cas/#{NAMES[1]}"], listed(list(*others, entry(NAMES[1]))).map(&:first)
  end

  # An entry without a valid time must not be treated as old.
  def test_entry_without_a_valid_time
    [nil, "yesterday", "Fri, 99 Nov 2026 18:18:22 GMT", 0].each do |time|
      assert_in_delta Time.now.to_f, listed(list(entry(NAMES[0], mtime: time)))[0][2].to_f, 600
    end
  end

  # In an incomplete list, the missing entries would seem to be deleted.
  def test_truncated_list
    whole = list(entry(NAMES[0]))
    [whole[0...-4], "[\n", "[\n#{entry(NAMES[0])},\n"].each do |text|
      assert_unavailable(:answer, /sent a truncated list/) { listed(text) }
    end
  end

  def test_other_formats
    ["", "<!doctype html><title>cas</title>", '{"entries": []}', "x" * 10_000].each do |text|
      error = assert_raises(RemoteCache::Unsupported, text[0, 20]) { listed(text) }

      assert_match(/autoindex_format json/, error.hint)
    end
    assert_raises(RemoteCache::Unsupported) { listed("<html>", type: "text/html") }
    ["[1]", "[\n1\n]", "[\n[],\n]", "[\n{]\n", list(entry(NAMES[0])) * 2, "[\n#{"[" * 4000}\n]"].each do |text|
      assert_unavailable(:answer, /a malformed list/) { listed(text) }
    end
  end

  def test_statuses
    %w[400 404 405 501].each { |code| assert_raises(RemoteCache::Unsupported) { listed("no", status: "#{code} No") } }
    { "401" => :credentials, "403" => :credentials, "500" => :answer, "503" => :slow }.each do |code, reason|
      assert_unavailable(reason, /returned #{code}/) { listed("no", status: "#{code} No") }
    end
  end

  def test_a_line_without_end
    endless = lambda do |client|
      client.write("[\n")
      loop { client.write("a" * 65_536) }
    end

    assert_unavailable(:answer, /a line of more than 4096 bytes/) { listed(endless) }
  end
end
