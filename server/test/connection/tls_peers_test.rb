# frozen_string_literal: true

require "test_helper"
require "support/tls_running"

module Spate
  module Server
    # TLS clients that are slow, send invalid data, or disconnect do not block others and are disconnected.
    class TLSPeersTest < Minitest::Test
      include TLSRunning

      def setup
        write("hello.txt", "hello\n")
        write("big.bin", Random.new(1).bytes(20 << 20))
        serve_tls(limits: { handshake_seconds: 2 })
      end

      # Returns the port of a proxy that forwards the first `count` bytes one at a time.
      def in_pieces(count)
        door = TCPServer.new("127.0.0.1", 0)
        far = TCPSocket.new("127.0.0.1", @port)
        far.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, true)
        @proxy = Thread.new do
          near = door.accept
          back = Thread.new { IO.copy_stream(far, near) }
          count.times { far.write(near.read(1)) and sleep(0.0002) }
          IO.copy_stream(near, far)
          far.close_write
          back.join
        ensure
          [near, far, door].each { |io| io&.close }
        end
        door.local_address.ip_port
      end

      def test_a_handshake_byte_by_byte
        @port = in_pieces(300)
        assert_match(/\r\n\r\nhello\n\z/, get(connect))
        @proxy.join(5)
      end

      # Three clients stall: one sends nothing, one sends half a ClientHello, and one sends it slowly. Other clients are
      # served meanwhile, and the three are disconnected soon.
      def test_handshakes_that_stall
        before = descriptors
        hello = client_hello
        silent, half, slow = Array.new(3) { TCPSocket.new("127.0.0.1", @port) }
        half.write(hello.byteslice(0, 100))
        drip = quietly { hello.each_char { |byte| slow.write(byte) and sleep 0.1 } }
        5.times { assert_match(/hello/, get(connect)) }
        eventually { descriptors >= before + 3 }
        reading = [silent, half, slow].map { |socket| quietly { socket.read } }
        assert_equal ["", "", ""], reading.map { |thread| thread.join(5)&.value.to_s }
        eventually { descriptors == before }
      ensure
        drip&.kill
        [silent, half, slow].each { |socket| socket&.close }
        assert_equal 3, stop.last.scan(/refused 127\.0\.0\.1: handshake: incomplete after \d s/).size
      end

      def quietly
        Thread.new do
          yield
        rescue SystemCallError, OpenSSL::SSL::SSLError
          nil
        end
      end

      # Returns a ClientHello.
      def client_hello
        server, peer = Socket.pair(:UNIX, :STREAM)
        quietly { OpenSSL::SSL::SSLSocket.new(peer).connect }
        server.readpartial(4096)
      ensure
        server.close
      end

      # Plain HTTP/1.1 and HTTP/2, also in single bytes or with an unread body, get an error response and a closed
      # connection.
      def test_plain_http
        ["GET / HTTP/1.1\r\nhost: x\r\n\r\n", "#{HTTP2::PREFACE}\0\0\0\4\0\0\0\0\0",
         "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 300000\r\n\r\n#{"x" * 300_000}"].each do |bytes|
          answer = raw(bytes)
          assert_match(%r{\AHTTP/1\.1 400 Bad Request\r\n.*\r\n\r\nThis port uses TLS: .*https://\n\z}m, answer)
        end
        socket = TCPSocket.new("127.0.0.1", @port)
        socket.write("P")
        assert_match(%r{\AHTTP/1\.1 400 }, Timeout.timeout(5) { socket.read })
        socket.close
        assert_match(/ 400 /, client("curl", "-sSi", "http://127.0.0.1:#{@port}/"))
      end

      # A client that sends forever without closing is disconnected.
      def test_plain_http_without_end
        before = descriptors
        socket = TCPSocket.new("127.0.0.1", @port)
        assert_raises(SystemCallError) { Timeout.timeout(5) { loop { socket.write("x" * 65_536) } } }
        eventually { descriptors == before }
        socket.close
      end

      def test_noise
        [Random.new(3).bytes(5000).tap { |bytes| bytes.setbyte(0, 0x80) }, "\x16\x03\x01\x40\x01#{"x" * 20_000}",
         "\x16\x03\x01\xff\xff", "\x15\x03\x03\x00\x02\x02\x28", "\0" * 100].each do |bytes|
          socket = TCPSocket.new("127.0.0.1", @port)
          socket.write(bytes)
          socket.close_write
          Timeout.timeout(5) { socket.read }
        rescue Errno::ECONNRESET, Errno::EPIPE
          nil
        ensure
          socket.close
        end
        assert_match(/hello/, get(connect))
      end

      # Connections end without close_notify: idle, in a request, and in a response.
      def test_truncation
        before = descriptors
        [nil, "GET /hello.txt HT", "GET /big.bin HTTP/1.1\r\nhost: x\r\n\r\n"].each do |bytes|
          socket = connect
          socket.write(bytes) if bytes
          socket.readpartial(100) if bytes&.include?("big")
          socket.io.close
        end
        eventually { descriptors == before }
        assert_match(/hello/, get(connect))
        refute_match(/Error/, stop.last)
      end

      # Returns the output of openssl's client, with these lines as its input.
      def s_client(*lines, options: "")
        typing = lines.map { |line| "printf '#{line}\\n'; sleep 0.02;" }.join(" ")
        client("sh", "-c", "{ sleep 0.3; #{typing} sleep 0.5; } | openssl s_client -crlf #{options} " \
                           "-connect 127.0.0.1:#{@port} 2>&1 || true")
      end

      REQUEST = ["GET /hello.txt HTTP/1.1", "host: x", "connection: close", ""].freeze

      # close_notify is sent before the socket is closed, so that a truncated response is noticed.
      def test_close_notify
        told = s_client(*REQUEST, options: "-msg -no_tls1_3")
        assert_match(/<<< TLS 1.2, Alert \[length 0002\], warning close_notify/, told)
      end

      def test_sessions_are_resumed
        %i[TLS1_2_VERSION TLS1_3_VERSION].each do |version|
          session = nil
          2.times do |n|
            context = OpenSSL::SSL::SSLContext.new
            context.min_version = context.max_version = OpenSSL::SSL.const_get(version)
            context.session_cache_mode = OpenSSL::SSL::SSLContext::SESSION_CACHE_CLIENT
            context.session_new_cb = ->((_, made)) { session = made }
            socket = OpenSSL::SSL::SSLSocket.new(TCPSocket.new("127.0.0.1", @port), context)
            socket.session = session if session
            socket.connect
            assert_equal n == 1, socket.session_reused?, version
            assert_match(/hello/, get(socket))
          end
        end
      end

      def test_renegotiation_is_refused
        assert_match(/no renegotiation/, s_client("R", options: "-no_tls1_3"))
      end

      # A client that updates its keys too often is disconnected.
      def test_key_updates
        assert_equal [10, true], change_keys(10)
        changed, answered = change_keys(1000)
        assert_includes 33..999, changed
        refute answered
        assert_match(/hello/, get(connect))
      end

      # Returns how often openssl's client updated the keys of its connection, and whether a request succeeded
      # afterwards.
      def change_keys(count)
        command = ["timeout", "20", "openssl", "s_client", "-crlf", "-connect", "127.0.0.1:#{@port}"]
        IO.popen(command, "r+", err: %i[child out]) do |io|
          changed = count.times.take_while { change_key(io) }.size
          [changed, changed == count && ask(io)]
        end
      end

      def change_key(io)
        io.write("K\n")
        while (told = io.gets)
          return true if told.include?("KEYUPDATE")
        end
      rescue SystemCallError
        nil
      end

      def ask(io)
        io.write(REQUEST.join("\n"), "\n")
        io.read.include?("\nhello\n")
      rescue SystemCallError
        false
      end
    end
  end
end
