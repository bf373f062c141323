# frozen_string_literal: true

require "net/http"

module Spate
  module HTTP
    # A Net::HTTP for servers that may mean no good: Net::HTTP itself reads lines of any length, any number of them,
    # at any pace.
    class Session < Net::HTTP
      # Reads from the connection for Net::HTTP, lines within a limit.
      class Wire < Net::BufferedIO
        # Bytes of lines in a row: an answer's status and headers, or what follows a body in chunks.
        LINES = 256 * 1024
        INSIDE = /\r(?!\s*\z)/n
        private_constant :INSIDE

        # meter: Meter
        def initialize(meter, **timeouts)
          super
          @lines = 0
        end

        def readuntil(*)
          line = @io.within(LINES - @lines) { super }
          @lines += line.bytesize
          raise Net::HTTPBadResponse, "a carriage return inside of a line" if INSIDE.match?(line)

          line
        end

        def read(*)
          @lines = 0
          super
        end

        def write(*)
          @lines = 0
          super
        end
      end

      # Meter::Pace
      attr_writer :pace

      private

      # Net::HTTP calls it for each connection that it makes.
      def on_connect = @socket = wire(@socket.io)

      def wire(io)
        timeouts = { read_timeout: read_timeout, write_timeout: write_timeout, continue_timeout: continue_timeout }
        Wire.new(Meter.new(io, read_timeout, @pace), **timeouts)
      end

      # Net::HTTP accepts any answer of a proxy to CONNECT, before it calls #on_connect.
      def connect
        return super unless proxy? && use_ssl?

        socket = Socket.tcp(proxy_address, proxy_port, connect_timeout: open_timeout)
        socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
        tunnel(wire(socket))
        @socket = wire(secured(socket))
      rescue StandardError
        socket&.close
        raise
      end

      # Raises Net::ProtocolError where the proxy says no.
      def tunnel(wire)
        place = "#{address.include?(":") ? "[#{address}]" : address}:#{port}"
        user = "Proxy-Authorization: Basic #{["#{proxy_user}:#{proxy_pass}"].pack("m0")}\r\n" if proxy_user
        wire.write("CONNECT #{place} HTTP/1.1\r\nHost: #{place}\r\n#{user}\r\n")
        Net::HTTPResponse.read_new(wire).value
      end

      def secured(socket)
        context = OpenSSL::SSL::SSLContext.new
        context.set_params({ verify_mode: verify_mode, cert_store: cert_store, cert: cert, key: key }.compact)
        OpenSSL::SSL::SSLSocket.new(socket, context).tap do |secure|
          secure.sync_close = true
          secure.hostname = address unless address.match?(/\A[\d.]+\z|:/) # SNI has no numbers
          ssl_socket_connect(secure, open_timeout)
          secure.post_connection_check(address) unless verify_mode == OpenSSL::SSL::VERIFY_NONE
        end
      end
    end
  end
end
