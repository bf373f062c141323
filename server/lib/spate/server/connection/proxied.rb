# frozen_string_literal: true

module Spate
  module Server
    class Connection
      # A transport that begins with a PROXY header with the client's address. When the header is complete, another
      # transport on the same socket, the one below, handles the remaining bytes.
      class Proxied < Transport
        autoload :Header, "spate/server/connection/proxied/header"

        # Maximum bytes that are peeked at in one step.
        STEP = 4096

        # The block makes the transport below.
        def initialize(socket, &below)
          super(socket)
          @make = below
          @text = String.new
        end

        def receive(buffer, offset)
          return @below.receive(buffer, offset) if @below

          count = receive_header
          count == 1 ? @below.receive(buffer, offset) : count
        end

        def flush(write_buffer) = @below ? @below.flush(write_buffer) : write_buffer.empty?
        def low_water(bytes) = @below ? @below.low_water(bytes) : false
        def wanted = @below ? @below.wanted : 0
        def pending? = @below ? @below.pending? : false
        def ready? = @below ? @below.ready? : false
        def protocol = @below&.protocol
        def scheme = @below ? @below.scheme : "http"
        def late?(seconds, limits) = @below ? @below.late?(seconds, limits) : seconds > limits.handshake_seconds
        def detach = @below&.detach
        def close = @below ? @below.close : @socket.close

        private

        # Reads only the header, because the transport below reads the socket itself. Returns 1 when the header is
        # complete, 0 at the end of the input, or nil. Raises Errno::EPROTO.
        def receive_header
          seen = @socket.recv_nonblock(STEP, Socket::MSG_PEEK, exception: false)
          return if seen == :wait_readable
          return 0 if seen.nil? || seen.empty?

          header = Header.parse(@text + seen)
          @text << @socket.recv_nonblock(header ? header.length - @text.bytesize : seen.bytesize)
          return unless header

          @peer = header.address if header.address # otherwise the socket's own
          @below = @make.call
          1
        end
      end
    end
  end
end
