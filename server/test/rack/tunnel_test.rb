# frozen_string_literal: true

require "test_helper"
require "support/rack_server"

module Spate
  module Server
    # After status 101 the client's bytes belong to the application and are never parsed as a request.
    class RackTunnelTest < Minitest::Test
      include RackServer

      ASK = "GET /tunnel HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: loud\r\n\r\n"
      REQUEST = "GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n"
      UPGRADE = { "upgrade" => "loud" }.freeze
      # Returns the input in upper case.
      LOUD = lambda do |stream|
        while (part = stream.readpartial(10_000))
          stream.write(part.upcase)
        end
      rescue EOFError
        nil
      ensure
        stream.close
      end
      # The two ways to start a tunnel.
      ANSWERS = { "a streaming body" => -> { [101, UPGRADE.dup, LOUD] },
                  "a partial hijack" => -> { [101, UPGRADE.merge("rack.hijack" => LOUD), []] } }.freeze

      def open(answer, **options)
        asked = @asked = Thread::Queue.new
        serve(**options) do |env|
          asked << env["PATH_INFO"]
          env["PATH_INFO"] == "/tunnel" ? answer.call : [200, {}, ["a request"]]
        end
      end

      def asked = Array.new(@asked.size) { @asked.pop }

      def test_a_tunnel
        ANSWERS.each do |name, answer|
          open(answer)
          client = connect
          client.write(ASK + REQUEST)
          told = read_until(client, "\r\n\r\n")
          assert_match(/\AHTTP.1.1 101 Switching Protocols\r\n(?=.*^upgrade: loud\r\n)(?=.*^connection: upgrade\r\n)/m,
                       told)
          refute_match(/^(?:content-length|transfer-encoding)/, told)
          told << read_until(client, "X\r\n\r\n") unless told.end_with?(REQUEST.upcase)
          client.write(REQUEST)
          assert_equal REQUEST.upcase, read_until(client, "X\r\n\r\n"), name
          client.close_write
          assert_equal "", Timeout.timeout(SECONDS) { client.read }
          assert_equal ["/tunnel"], asked
          assert_empty logged
          stop
        end
      ensure
        @reactor = nil
      end

      # More bytes than any buffer holds are sent in both directions, and none are lost.
      def test_large_transfers_in_both_directions
        open(ANSWERS.values.first)
        client = connect
        client.write(ASK)
        read_until(client, "\r\n\r\n")
        text = Array.new(300_000) { |n| format("%09d\n", n) }.join
        writer = Thread.new { client.write(text) && client.close_write }
        assert_equal text, Timeout.timeout(TRANSFER) { client.read }
        writer.join
      end

      # A silent tunnel does not time out as a request.
      def test_silence
        open(ANSWERS.values.first, limits: Limits.new(idle: 1, body_seconds: 1, head_seconds: 1, response_seconds: 1))
        client = connect
        client.write(ASK)
        read_until(client, "\r\n\r\n")
        sleep 3.2
        client.write("still here")
        assert_equal "STILL HERE", read_until(client, "HERE")
      end

      # Status 101 requires a streaming body.
      def test_status_101_without_a_stream
        open(-> { [101, UPGRADE.dup, ["no"]] })
        assert_match(/\AHTTP.1.1 500 .*^connection: close\r.*failed.\n\z/m, talk(ASK + REQUEST))
        assert_equal ["/tunnel"], asked
        assert_match(/status 101 is not a final status/, logged)
      end

      # A tunnel is refused while the request's body is unread, in HTTP/1.0, and in HTTP/2.
      def test_tunnel_is_refused
        open(ANSWERS.values.first, limits: Limits.new(body_buffer: 0))
        body = ASK.sub("GET", "POST").sub("\r\n\r\n", "\r\nexpect: 100-continue\r\ncontent-length: 70000\r\n\r\n")
        [body, ASK.sub("HTTP/1.1", "HTTP/1.0")].each { |ask| assert_match(/ 500 .*^connection: close\r/m, talk(ask)) }
        assert_match(/ 500/, curl("--http2-prior-knowledge", "-i", address("/tunnel")))
        assert_equal ["/tunnel"] * 3, asked
      end
    end
  end
end
