# frozen_string_literal: true

require "test_helper"
require "support/cached"

module Spate
  module Server
    # Hostile clients and folders: nothing is stored, and no file outside the store is read or written.
    class CacheHostileTest < Minitest::Test
      include Cached

      PARTS = ["..", "%2e%2e", "%2f", "\\", "%00", "%", "a" * 64, "A" * 64, "g" * 64, "cas", "ac", "tmp", "-", "~",
               "%20", "a" * 300, "", ".", "*", ":"].freeze

      def test_random_names
        cache
        write("secret", "secret")
        random = Random.new(Spate.test_seed)
        socket = TCPSocket.new("127.0.0.1", @port)
        1000.times do
          name = "#{PARTS.sample(random: random)}#{PARTS.sample(random: random)}#{PARTS.sample(random: random)}"
          next if name.match?(/\A[0-9a-f]{32,128}\z/)

          path = "/#{kind = %w[cas ac tmp].sample(random: random)}/#{name}"
          verb = %w[PUT GET DELETE HEAD].sample(random: random)
          list = ["", "."].include?(name) && kind != "tmp" && %w[GET HEAD].include?(verb)
          socket = TCPSocket.new("127.0.0.1", @port) if socket.closed?
          assert_includes list ? [200] : [400, 404], status_of(socket, verb, path), path
        end
        assert_empty stored
        assert_equal %w[ac cas tmp], Dir.children(store).sort
      end

      def test_links
        cache
        secret = write("secret", "secret")
        File.symlink(secret, "#{store}#{blob("one")}")
        put(blob("inside"), "inside")
        File.symlink("../#{blob("inside")[1..]}", "#{store}#{document("two")}")
        Dir.mkdir("#{store}#{blob("three")}")
        paths = [blob("one"), document("two"), blob("three"), "#{blob("three")}/"]
        assert_equal [404] * 4, paths.map { |path| code(fetch(path)) }
        assert_equal [404] * 3, paths.first(3).map { |path| code(delete(path)) }
        assert_equal [201, 409], [put(blob("one"), "one"), put(blob("three"), "three")].map { |answer| code(answer) }
        assert_equal %w[secret one], [File.read(secret), fetch(blob("one")).body]
        refute File.symlink?("#{store}#{blob("one")}")
        assert_empty stored.grep(/\Atmp/)
      end

      # The server's own folders are replaced with links after it started.
      def test_folders_that_become_links
        cache
        put(blob("one"), "one")
        FileUtils.mkdir(outside = File.join(folder, "outside"))
        %w[cas tmp].each do |name|
          File.rename("#{store}/#{name}", "#{folder}/old-#{name}")
          File.symlink(outside, "#{store}/#{name}")
          assert_equal 500, code(put(blob("two"), "two"))
        end
        assert_empty Dir.children(outside)
        assert_equal [404, 404], [code(fetch(blob("one"))), code(delete(blob("one")))]
      end

      def test_wrong_lengths
        cache
        start = "PUT #{blob("content")} HTTP/1.1\r\nhost: localhost\r\n"
        assert_empty raw_and_shut("#{start}content-length: 9\r\n\r\ncontent")
        assert_match(/\AHTTP\S+ 422.*HTTP\S+ 400/m, raw("#{start}content-length: 3\r\n\r\ncontent\r\n\r\n"))
        assert_match(/\AHTTP\S+ 400/, raw("#{start}transfer-encoding: chunked\r\n\r\n3\r\ncontent\r\n0\r\n\r\n"))
        assert_match(/\AHTTP\S+ 400/, raw("#{start}content-length: 7\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"))
        eventually("nothing is left") { stored.empty? }
      end

      # Limits of the server such as --limit-body-seconds also apply to uploads.
      def test_a_slow_upload
        cache("--limit-body-seconds", "1")
        answer = raw("PUT #{blob("content")} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 7\r\n\r\ncon")
        assert_match(/\AHTTP\S+ 408/, answer)
        assert_empty stored
      end

      def test_client_that_disconnects
        cache
        file = write("upload", Random.new(1).bytes(5_000_000))
        %w[--http1.1 --http2-prior-knowledge].each do |way|
          address = address("/cas/#{Digest::SHA256.file(file)}")
          curl = Process.spawn("curl", "-sS", way, "--limit-rate", "200k", "-T", file, address, err: File::NULL)
          eventually("it is being written") { stored.any? }
          Process.kill(:KILL, curl)
          Process.wait(curl)
          eventually("nothing is left") { stored.empty? }
        end
        assert_equal 404, code(fetch("/cas/#{Digest::SHA256.file(file)}"))
      end

      # Uploads 600 MB. The memory of the server does not grow.
      def test_a_large_upload_takes_no_memory
        cache
        put(blob("x"), "x")
        before = kilobytes
        client("sh", "-c", "head -c 300000000 /dev/zero | curl -sS -T - #{address(document("zeros"))}; true")
        client("sh", "-c", "head -c 300000000 /dev/zero | curl -sS -T - #{address(blob("zeros"))}")
        assert_operator kilobytes - before, :<, 40_000
        assert_equal [blob("x")[1..]], stored
      end

      private

      def kilobytes = File.read("/proc/#{@server}/status")[/VmHWM:\s+(\d+)/, 1].to_i

      def status_of(socket, verb, path)
        length = verb == "PUT" ? "content-length: 1\r\n" : ""
        socket.write("#{verb} #{path} HTTP/1.1\r\nhost: localhost\r\n#{length}\r\n#{"x" if verb == "PUT"}")
        head = Timeout.timeout(SECONDS) { socket.gets("\r\n\r\n") }.b
        socket.read(head[/content-length: (\d+)/, 1].to_i) unless verb == "HEAD"
        socket.close if head.match?(/^connection: close/)
        head[/\d{3}/].to_i
      end

      def raw_and_shut(bytes)
        socket = TCPSocket.new("127.0.0.1", @port)
        socket.write(bytes)
        socket.close_write
        Timeout.timeout(SECONDS) { socket.read }
      ensure
        socket.close
      end
    end
  end
end
