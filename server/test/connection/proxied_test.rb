# frozen_string_literal: true

require "test_helper"
require "openssl"
require "support/rack_server"

module Spate
  module Server
    # Connections that begin with a PROXY header: the application gets the client's address.
    class ProxiedTest < Minitest::Test
      include RackServer

      REQUEST = "GET /path HTTP/1.1\r\nhost: a.test\r\nconnection: close\r\n\r\n"
      SIGNATURE = "\r\n\r\n\0\r\nQUIT\n".b
      LINES = { "PROXY TCP4 192.0.2.7 192.0.2.1 4711 443\r\n" => "192.0.2.7",
                "PROXY TCP6 2001:db8:0:0::7 2001:db8::1 4711 443\r\n" => "2001:db8::7",
                "PROXY UNKNOWN\r\n" => "127.0.0.1", "PROXY UNKNOWN ff::1 ff::2 1 2\r\n" => "127.0.0.1" }.freeze

      # A header of version 2.
      def binary(command, family, content) = SIGNATURE + [command, family, content.bytesize].pack("CCn") + content

      def headers
        four = [192, 0, 2, 7, 192, 0, 2, 1, 4711, 443].pack("C8n2")
        six = IPAddr.new("2001:db8::7").hton + IPAddr.new("2001:db8::1").hton + [1, 2].pack("n2")
        LINES.merge(binary(0x21, 0x11, four) => "192.0.2.7", binary(0x21, 0x11, "#{four}\x04\0\2hi") => "192.0.2.7",
                    binary(0x21, 0x21, six) => "2001:db8::7", binary(0x20, 0x00, "") => "127.0.0.1",
                    binary(0x21, 0x31, "x" * 216) => "127.0.0.1", binary(0x20, 0x11, four) => "127.0.0.1")
      end

      def serve_behind_a_proxy(**options)
        serve(reactor: { proxy_protocol: true, **options.slice(:tls) }, **options.except(:tls)) do |env|
          [200, {}, [env.values_at("REMOTE_ADDR", "PATH_INFO", "rack.url_scheme").join(" ")]]
        end
      end

      def test_client_address_of_both_versions
        serve_behind_a_proxy
        headers.each do |header, address|
          assert_equal "#{address} /path http", talk(header + REQUEST).lines.last, header.inspect
        end
      end

      # Each byte is sent in a segment of its own.
      def test_header_in_pieces
        serve_behind_a_proxy
        headers.first(1).push(headers.to_a[5]).each do |header, address|
          client = connect
          client.setsockopt(:TCP, :NODELAY, true)
          (header + REQUEST).each_char { |byte| client.write(byte) && Thread.pass }
          assert_equal "#{address} /path http", Timeout.timeout(SECONDS) { client.read }.lines.last
        end
      end

      def test_http2_and_tls_after_the_header
        serve_behind_a_proxy
        assert_equal "127.0.0.1 / http", curl("--haproxy-protocol", "--http2-prior-knowledge", address)
        stop
        serve_behind_a_proxy(tls: Connection::TLS.load(folder: folder))
        client = connect
        client.write(LINES.keys.first)
        tls = OpenSSL::SSL::SSLSocket.new(client).tap(&:connect)
        tls.write(REQUEST)
        assert_equal "192.0.2.7 /path https", Timeout.timeout(SECONDS) { tls.read }.lines.last
      end

      # The next request of a connection has the same address.
      def test_further_requests
        serve_behind_a_proxy
        answer = talk(LINES.keys.first + REQUEST.sub("connection: close\r\n", "") + REQUEST)
        assert_equal 2, answer.scan("192.0.2.7 /path").size
      end

      def test_connections_without_a_valid_header_are_closed
        serve_behind_a_proxy
        four = [192, 0, 2, 7, 192, 0, 2, 1, 4711, 443].pack("C8n2")
        [REQUEST, "PROXY TCP4 192.0.2.7 192.0.2.1 4711\r\n", "PROXY TCP4 ::1 ::2 1 2\r\n",
         "PROXY TCP6 1.2.3.4 1.2.3.5 1 2\r\n", "PROXY TCP4 999.0.2.7 192.0.2.1 4711 443\r\n", "PROXY #{"x" * 120}",
         "PROXY TCP4 1.2.3.4 1.2.3.5 1 2\n",
         binary(0x11, 0x11, four), binary(0x22, 0x11, four), binary(0x21, 0x11, four[0, 8]),
         binary(0x21, 0x11, "x" * 5000)].each do |header|
          assert_equal "", (talk(header + REQUEST) rescue ""), header.inspect[0, 60] # rubocop:disable Style/RescueModifier
        end
        assert_equal [0, 11], [@reactor.size, logged.scan("PROXY header").size]
      end

      def test_incomplete_header_times_out
        serve_behind_a_proxy(limits: Limits.new(handshake_seconds: 1))
        assert_equal "", talk("PROXY TCP4 192.0.2.7")
        assert_match(/handshake: incomplete/, logged)
      end
    end
  end
end
