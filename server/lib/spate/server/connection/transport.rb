# frozen_string_literal: true

module Spate
  module Server
    class Connection
      # Transfers a connection's bytes through its socket. Each kind has:
      #
      #     descriptor                 the socket's file descriptor
      #     receive(buffer, offset)    reads into an ArrayBuffer at `offset`; returns the number of bytes, 0 at the end,
      #                                or nil if no bytes are available
      #     low_water(bytes)           whether the poller now reports the socket only with at least `bytes` bytes
      #     flush(write_buffer)        true when the write buffer is empty, false when the socket accepts no more
      #     wanted                     READ or WRITE if the transport itself waits for it, otherwise 0
      #     pending?                   whether bytes are buffered that the poller does not see
      #     ready?                     whether the handshake, if any, is complete
      #     protocol                   "h2" or "http/1.1" if negotiated by ALPN, otherwise nil
      #     scheme                     "http" or "https"
      #     late?(seconds, limits)     whether the handshake takes too long, `seconds` after the accept
      #     detach                     returns the socket, for another owner; nil if it cannot be handed over
      #     close
      #
      # The methods raise SystemCallError when the connection is lost.
      class Transport
        attr_reader :descriptor

        def initialize(socket)
          @socket = socket
          @descriptor = socket.fileno
        end

        # The peer's address, for example "127.0.0.1" or "::1", or nil if the socket has none, such as a Unix socket.
        # Raises SystemCallError if the connection is lost, because the address is then unknown.
        def peer
          return @peer if defined?(@peer)

          address = @socket.remote_address
          @peer = address.ip? ? address.ip_address : nil
        end
      end

      # A transport without TLS.
      class Plain < Transport
        # reactor: responds to `doze`; may be nil.
        def initialize(socket, reactor = nil)
          super(socket)
          @reactor = reactor
        end

        def receive(buffer, offset) = Native.receive(@descriptor, buffer, offset)
        def low_water(bytes) = Native.low_water(@descriptor, bytes)

        def flush(write_buffer)
          return write_buffer.flush(@descriptor) unless @reactor && write_buffer.files?

          @reactor.doze { |wake| write_buffer.flush(@descriptor, wake) }
        end

        def wanted = 0
        def pending? = false
        def ready? = true
        def protocol = nil
        def scheme = "http"
        def late?(_seconds, _limits) = false
        def close = @socket&.close

        def detach
          socket, @socket = @socket, nil
          socket
        end
      end
    end
  end
end
