# frozen_string_literal: true

require "net/http"

module Spate
  module HTTP
    # A Net::HTTP with limits against malicious servers. Net::HTTP accepts any number of header lines, of any length, at
    # any pace.
    class Session < Net::HTTP
      # The buffered connection that Net::HTTP reads from, with a limit for the length of lines.
      class Wire < Net::BufferedIO
        # The maximum total size (bytes) of consecutive lines: status and headers of a response, or trailers of a
        # chunked body.
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

      # Called by Net::HTTP for each new connection. Replaces its buffered connection.
      def on_connect = @socket = wire(@socket.io)

      def wire(io)
        timeouts = { read_timeout: read_timeout, write_timeout: write_timeout, continue_timeout: continue_timeout }
        Wire.new(Meter.new(io, read_timeout, @pace), **timeouts)
      end

      # Connects through a proxy, because Net::HTTP reads the proxy's response to CONNECT without limits before it calls
      # #on_connect.
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

      # Sends the CONNECT request. Raises Net::ProtocolError if the proxy refuses it.
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
          secure.hostname = address unless address.match?(/\A[\d.]+\z|:/) # SNI does not allow IP addresses
          ssl_socket_connect(secure, open_timeout)
          secure.post_connection_check(address) unless verify_mode == OpenSSL::SSL::VERIFY_NONE
        end
      end
    end
  end
end
