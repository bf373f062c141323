# frozen_string_literal: true

require "test_helper"
require "support/tls_running"

module Spate
  module Server
    # Handshakes that fail, many of them: nothing is left of any.
    class TLSChurnTest < Minitest::Test
      include TLSRunning

      FAILURES = 1000
      # Kilobytes that may come and go with Ruby's and malloc's heaps.
      GROWTH = 4096

      def setup
        write("hello.txt", "hello\n")
        serve_tls
      end

      # The bytes with which a client begins that wants a protocol.
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

      def test_handshakes_that_fail_leave_nothing
        before = descriptors
        fail_often(300)
        memory = kilobytes
        fail_often(FAILURES)
        eventually { descriptors == before }
        assert_operator kilobytes - memory, :<, GROWTH
        assert_match(/\r\n\r\nhello\n\z/, get(connect))
      end

      # Good ones too: a thousand would hide nothing that matters in these bounds.
      def test_connections_leave_nothing
        before = descriptors
        100.times { get(connect) }
        memory = kilobytes
        300.times { get(connect) }
        eventually { descriptors == before }
        assert_operator kilobytes - memory, :<, GROWTH
      end
    end
  end
end
