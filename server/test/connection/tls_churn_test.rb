# frozen_string_literal: true

require "test_helper"
require "support/tls_running"

module Spate
  module Server
    # Many handshakes, failed or successful, leak neither memory nor descriptors.
    class TLSChurnTest < Minitest::Test
      include TLSRunning

      FAILURES = 1000
      SUCCESSES = 300
      # Ruby's heap grows at unpredictable times, in Ruby 4.0 during the first two thousand handshakes. A leak would
      # grow in every stage. GROWTH is in kilobytes; one leaked SSL object takes more than ten.
      STAGES = 6
      GROWTH = 1024

      def setup
        write("hello.txt", "hello\n")
        serve_tls
      end

      # Returns the ClientHello of a client that offers this protocol.
      def client_hello(alpn)
        server, peer = Socket.pair(:UNIX, :STREAM)
        context = OpenSSL::SSL::SSLContext.new
        context.alpn_protocols = [alpn]
        OpenSSL::SSL::SSLSocket.new(peer, context).connect_nonblock(exception: false)
        server.readpartial(4096)
      ensure
        [server, peer].each(&:close)
      end

      def beginnings
        good = client_hello("h2")
        [good, good.byteslice(0, 100), client_hello("spdy/3"), "GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\xff\xff", "",
         good + Random.new(1).bytes(500)]
      end

      def fail_often(count)
        beginnings = self.beginnings
        count.times do |n|
          socket = TCPSocket.new("127.0.0.1", @port)
          socket.write(beginnings[n % beginnings.size])
          socket.readpartial(1) if n % 3 == 0 && !beginnings[n % beginnings.size].empty? && n % beginnings.size != 1
        rescue EOFError, SystemCallError
          nil
        ensure
          socket&.close
        end
      end

      def test_failed_handshakes_leak_nothing
        assert_nothing_left { fail_often(FAILURES) }
        assert_match(/\r\n\r\nhello\n\z/, get(connect))
      end

      # Successful connections do not leak either. They are slower, so there are fewer.
      def test_connections_leak_nothing
        assert_nothing_left { SUCCESSES.times { get(connect) } }
      end

      # Passes if memory grows by less than GROWTH in one of the stages. Also reads the server's output, so that the
      # server does not block on a full pipe.
      def assert_nothing_left
        reading = Thread.new { nil while @log.gets }
        before = descriptors
        sizes = [kilobytes]
        STAGES.times do
          yield
          break if (sizes << kilobytes).each_cons(2).any? { |earlier, later| later - earlier < GROWTH }
        end
        eventually { descriptors == before }
        assert_operator sizes.each_cons(2).map { |earlier, later| later - earlier }.min, :<, GROWTH, sizes.inspect
      ensure
        reading.kill.join
      end
    end
  end
end
