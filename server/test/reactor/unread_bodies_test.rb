# frozen_string_literal: true

require "test_helper"
require "net/http"
require "support/assault/attack_peer"

module Spate
  module Server
    # Memory is limited while many connections have nearly complete request bodies on all their streams.
    class UnreadBodiesTest < Minitest::Test
      SERVER = <<~RUBY
        require "spate/server"
        app = ->(env) { [200, {}, [env["rack.input"].read.bytesize.to_s]] }
        listener = TCPServer.new("127.0.0.1", 0)
        puts listener.local_address.ip_port
        $stdout.flush
        Spate::Server::Reactor.new(listener, Spate::Server::Rack.handler(app)).run
      RUBY
      CONNECTIONS = 40
      STREAMS = 99
      # Bytes sent of 65,536 announced.
      BYTES = 65_000

      def test_memory_is_bounded
        serve
        before = memory
        peers = Array.new(CONNECTIONS) { AttackPeer.new(@port) }
        peers.each { |peer| fill(peer) }
        assert_predicate peers.first, :alive?
        assert_operator memory - before, :<, 200 << 20, "of #{(CONNECTIONS * STREAMS * BYTES) >> 20} MiB that were sent"
        peers.each(&:close)
        assert_equal "3", Net::HTTP.post(URI("http://127.0.0.1:#{@port}/"), "abc").body
      end

      def serve
        folders = $LOAD_PATH.grep(%r{/(server/|ext/)?lib\z})
        @output = IO.popen([RbConfig.ruby, *folders.map { |folder| "-I#{folder}" }, "-rsocket", "-e", SERVER])
        @server = @output.pid
        @port = @output.gets.to_i
      end

      def teardown
        Process.kill(:KILL, @server) if @server
        @output&.close
        super
      end

      def fill(peer)
        STREAMS.times do |n|
          id = (2 * n) + 1
          parts = [16_384, 16_384, 16_384, BYTES - (3 * 16_384)]
          data = parts.map { |part| peer.frame(0, 0, id, "x" * part) }
          peer.write(peer.post(id, "/", "content-length", "65536") + data.join)
        end
      end

      def memory = File.read("/proc/#{@server}/status")[/^VmRSS:\s+(\d+)/, 1].to_i << 10
    end
  end
end
