# frozen_string_literal: true

require "test_helper"
require "support/rack_server"

module Spate
  module Server
    # Requests sent during shutdown: until the client is notified, they are answered.
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

      # The application's body, which a test ends.
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

      # It came through the door before, and had not said a word.
      def test_a_connection_without_a_word
        client = connect
        eventually { @reactor.size == 1 }
        stopping
        client.write(GET)
        assert_match(/\AHTTP.1.1 200 .*connection: close\r\n.*ok\z/m, Timeout.timeout(SECONDS) { client.read })
      end

      # Its first answer said that it goes on, and took longer than quiet connections have.
      def test_a_request_behind_a_long_answer
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

      # SETTINGS are the first frame also of a server that is about to go.
      def test_http2_without_a_word
        client = connect
        eventually { @reactor.size == 1 }
        stopping
        client.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".b)
        types = frames(Timeout.timeout(SECONDS) { client.read })
        assert_equal [4, 7], [types.first, *types & [7]]
      end

      # Types, in their order.
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
