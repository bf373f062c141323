# frozen_string_literal: true

require "test_helper"
require "support/rack_apps"

module Spate
  module Server
    # The application gets the address of the client that sent the request, and never another one.
    class PeerTest < Minitest::Test
      APPLICATION = File.expand_path("../support/rack_apps/peer.ru", __dir__)
      SERVE = File.expand_path("../../exe/spate-serve", __dir__)
      SECONDS = 30

      def setup
        RackApps.make
      end

      def teardown
        @server&.stop
        super
      end

      def start(*options)
        @server = RackApps.new(folder) do |port|
          [RbConfig.ruby, SERVE, "--rack", APPLICATION, "--port", port.to_s, *options]
        end
      end

      def ask(path, from: "127.0.0.1")
        socket = TCPSocket.new("127.0.0.1", @server.port, from, 0)
        socket.write("GET #{path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        socket
      end

      def answer(socket) = Timeout.timeout(SECONDS) { socket.read[/\r\n\r\n(.*)/m, 1] }

      # If the address were reported as 127.0.0.1, a web console that trusts 127.0.0.1 would admit any client.
      def test_connection_that_is_reset_before_accept
        start
        @server.pause do
          100.times do
            gone = ask("/gone", from: "127.0.0.2")
            gone.setsockopt(Socket::SOL_SOCKET, Socket::SO_LINGER, [1, 0].pack("ii"))
            gone.close
          end
        end
        assert_equal "127.0.0.3", answer(ask("/here", from: "127.0.0.3"))
        assert_equal ["asked for /here\n"], File.readlines(@server.log).grep(/asked/)
      end

      def test_over_tls
        start("--tls")
        told, status = Open3.capture2e("curl", "-sSk", "--interface", "127.0.0.2", "https://127.0.0.1:#{@server.port}/")
        assert_predicate status, :success?, told
        assert_equal "127.0.0.2", told
      end

      # The client of a Unix socket has no address.
      def test_over_a_unix_socket
        path = File.join(folder, "socket")
        UNIXServer.open(path) do |listener|
          env = RackApps.env.merge("LISTEN_FDS" => "1", "RUBYLIB" => RackApps::PATHS.join(":"))
          command = [RbConfig.ruby, SERVE, "--rack", APPLICATION]
          pid = Process.spawn(env, "sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", *command, 3 => listener,
                                                                                          %i[out err] => File::NULL)
          assert_equal "nobody", answer(UNIXSocket.new(path).tap { |socket| socket.write("GET / HTTP/1.0\r\n\r\n") })
        ensure
          Process.kill(:TERM, pid)
          Process.wait(pid)
        end
      end
    end
  end
end
