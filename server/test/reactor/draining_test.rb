# frozen_string_literal: true

require "test_helper"
require "support/rack_server"

module Spate
  module Server
    # The server responds to requests that arrive during shutdown before the client was notified.
    class DrainingTest < Minitest::Test
      include RackServer

      GET = "GET / HTTP/1.1\r\nhost: x\r\n\r\n"

      def setup
        @parts = Thread::Queue.new
        @began = Thread::Queue.new
        serve(limits: Limits.new(drain: SECONDS)) do |env|
          @began << env["PATH_INFO"]
          [200, {}, env["PATH_INFO"] == "/long" ? parts : ["ok"]]
        end
      end

      # A response body that the test controls through @parts.
      def parts
        Enumerator.new do |given|
          while (part = @parts.pop)
            given << part
          end
        end
      end

      def stopping
        @reactor.stop
        eventually { @reactor.instance_variable_get(:@asked_to_stop) }
        sleep 0.1
      end

      # The connection was accepted before the shutdown and has not sent a request.
      def test_idle_connection
        client = connect
        eventually { @reactor.size == 1 }
        stopping
        client.write(GET)
        assert_match(/\AHTTP.1.1 200 .*connection: close\r\n.*ok\z/m, Timeout.timeout(SECONDS) { client.read })
      end

      # The first response announced keep-alive, and took longer than the grace period for idle connections.
      def test_request_after_a_long_response
        client = connect
        client.write("GET /long HTTP/1.1\r\nhost: x\r\n\r\n")
        take(@began)
        @parts << "begun"
        read_until(client, "begun")
        stopping
        sleep Reactor::Drain::GRACE + 0.2
        @parts << nil
        read_until(client, "0\r\n\r\n")
        client.write(GET)
        assert_match(/\AHTTP.1.1 200 .*connection: close\r\n.*ok\z/m, Timeout.timeout(SECONDS) { client.read })
      end

      # SETTINGS is the first frame even during shutdown.
      def test_idle_http2_connection
        client = connect
        eventually { @reactor.size == 1 }
        stopping
        client.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".b)
        types = frames(Timeout.timeout(SECONDS) { client.read })
        assert_equal [4, 7], [types.first, *types & [7]]
      end

      # Returns the types of the frames.
      def frames(bytes)
        types = []
        until bytes.empty?
          types << bytes.getbyte(3)
          bytes = bytes.byteslice((9 + (bytes.unpack1("N") >> 8))..)
        end
        types
      end
    end
  end
end
