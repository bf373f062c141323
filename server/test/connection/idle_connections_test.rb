# frozen_string_literal: true

require "test_helper"
require "support/assault/attack_peer"
require "support/assault/attacked_process"

module Spate
  module Server
    # Many idle connections take little memory and do not slow others.
    class IdleConnectionsTest < Minitest::Test
      MANY = 10_000
      # Memory of the server process per connection, in bytes, without the kernel's buffers.
      EACH = 30 << 10
      GREETING = HTTP2::PREFACE + Wire.frame(4, 0, 0, "") + Wire.frame(4, 1, 0, "")
      REQUEST = Wire.frame(1, 5, 1, "\x82\x86\x84\x41\x01x".b)

      def setup
        _, most = Process.getrlimit(:NOFILE)
        skip "#{most} descriptors are allowed, not #{MANY + 500}" if most < MANY + 500
        Process.setrlimit(:NOFILE, MANY + 500, most)
        @server = AttackedProcess.new(connections: MANY + 100)
      end

      def teardown
        @server&.close
        @held&.each(&:close)
      end

      # Each connection sends a request, because that allocates its tables and objects.
      def hold(count)
        Array.new(count) do
          TCPSocket.new("127.0.0.1", @server.port).tap { |socket| socket.write(GREETING + REQUEST) }
        end
      end

      def test_ten_thousand
        peer = AttackPeer.new(@server.port)
        300.times { |n| peer.write(peer.request(2 * n + 1, "/", verb: "HEAD")) }
        assert_predicate peer, :alive?
        before = @server.memory
        @held = hold(MANY)
        assert_equal(MANY, @held.count { |socket| socket.wait_readable(10) })
        assert_predicate peer, :alive?
        assert_operator (@server.memory - before) / MANY, :<=, EACH
        cpu = @server.seconds
        sleep 2
        assert_operator @server.seconds - cpu, :<, 1.0, "CPU seconds of two in which nothing happened"
      ensure
        peer&.close
      end
    end
  end
end
