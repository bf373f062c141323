# frozen_string_literal: true

require "test_helper"
require "net/http"
require "socket"

module Spate
  module Server
    # Listening on Unix sockets.
    class ListenerTest < Minitest::Test
      def open = Reactor::Listener.open("unix:#{@path}", 0)

      def setup
        super
        @path = File.join(folder, "app.sock")
      end

      def teardown
        @listener&.close
        super
      end

      # The peer has no address.
      def test_server_on_a_unix_socket
        @listener = open
        assert_equal "unix:#{@path}", Reactor::Listener.address(@listener, host: "unix:#{@path}")
        handler = ->(request) { Response.new(200, {}, "#{request.path} #{request.peer.inspect}") }
        reactor = Reactor.new(@listener, handler)
        thread = Thread.new { reactor.run }
        UNIXSocket.open(@path) do |client|
          client.write("GET /a HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
          assert_equal "/a nil", client.read.lines.last
        end
      ensure
        reactor&.halt
        thread&.join
      end

      def test_socket_of_another_server_is_in_use
        @listener = open
        error = assert_raises(Error) { open }
        assert_match(/app.sock: Address already in use/, error.message)
      end

      def test_socket_of_a_server_that_has_ended_is_replaced
        open.close
        assert File.socket?(@path)
        @listener = open
        UNIXSocket.new(@path).close
      end

      # A connection to it fails, too, but its process still has it.
      def test_other_sockets_are_not_replaced
        datagrams = Socket.new(:UNIX, :DGRAM).tap { |socket| socket.bind(Socket.sockaddr_un(@path)) }
        assert_raises(Error) { open }
        assert File.socket?(@path)
      ensure
        datagrams&.close
      end

      def test_invalid_addresses
        { ["127.0.0.1", 70_000] => /70000 is not a port/, ["unix:", 0] => /no path/ }.each do |address, message|
          assert_match(message, assert_raises(Error) { Reactor::Listener.open(*address) }.message)
        end
      end

      def test_other_files_are_not_replaced
        File.write(@path, "data")
        assert_raises(Error) { open }
        assert_equal "data", File.read(@path)
      end
    end
  end
end
