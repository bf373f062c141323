# frozen_string_literal: true

require "remote_cache/transport_case"
require "support/test_disk"

# A response that would fill the client's disk counts as a miss and leaves no file.
class RemoteCacheClientRoomTest < Minitest::Test
  include TransportCase

  GIB = 1 << 30
  SHA256 = "a" * 64

  def setup
    @listener = TCPServer.new("127.0.0.1", 0)
    @sent = 0
    @warnings = []
  end

  def teardown
    @server&.kill&.join
    @disk&.unmount
    @listener.close
    super
  end

  # A client. Its server responds to each request with this head, then sends zeros until the connection is closed.
  def client(head)
    @server = Thread.new { loop { answer(@listener.accept, head) } }
    events = Spate::Events.new.tap { |all| all.subscribe { |event| @warnings << event[:message] } }
    RemoteCache::Client.new(events: events) do |_|
      transport("http://127.0.0.1:#{@listener.addr[1]}", connect: 5, read: 10)
    end
  end

  def answer(socket, head)
    socket.gets("\r\n\r\n")
    @sent = 0
    socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n#{head}\r\n")
    loop { @sent += socket.write("\0" * 65_536) }
  rescue SystemCallError
    nil # the client closed the connection
  ensure
    socket.close
  end

  # Asserts a miss with one warning. A client sends no further request after three failures.
  def assert_missed(client, message, to: "#{folder}/there/archive")
    FileUtils.mkdir_p(File.dirname(to))
    5.times { assert_nil client.archive(SHA256, to: to) }
    assert_equal 1, @warnings.size, @warnings
    assert_match message, @warnings.first
    assert_equal 3, client.tally[:failures]
    assert_empty Dir.children(File.dirname(to)) - %w[lost+found]
  end

  def test_announced_size_above_the_limit_of_archives
    assert_missed(client("Content-Length: #{3 * GIB}\r\n"), /sends 3221225472 bytes, expected at most 2147483648/)
  end

  def test_endless_body_without_an_announced_size
    assert_missed(client(""), /sends more bytes, expected at most 16777216/)
    assert_operator @sent, :<, 64 << 20
  end

  def test_other_content
    assert_missed(client("Content-Length: 1000000\r\n"), /sent a blob whose SHA-256 is not cas/)
  end

  # The size is within the limit, but larger than the free space. The install gets the archive from another source.
  def test_disk_without_space
    obstacle = Spate::TestDisk.obstacle(:ext4) and skip obstacle
    @disk = Spate::TestDisk.new(:ext4, "#{folder}/compile_cache").tap { |disk| disk.mount("#{folder}/disk") }
    free = -> { Spate::Store::Full.free("#{folder}/disk") }
    before = free.call
    assert_missed(client("Content-Length: #{GIB}\r\n"), /sent data that cannot be stored: no space left/,
                  to: "#{folder}/disk/archive")
    assert_equal before, free.call
  end
end
