# frozen_string_literal: true

module Spate
  module Server
    class Connection
      # Transfers a connection's bytes through its socket. Each kind has:
      #
      #     descriptor                 the socket's number
      #     receive(buffer, offset)    reads into an ArrayBuffer at `offset`; bytes read, 0 at the end, nil for none
      #     low_water(bytes)           whether the poller now reports the socket only with at least `bytes` bytes
      #     flush(write_buffer)        true when the write buffer is empty, false when the socket accepts no more
      #     wanted                     READ or WRITE when the transport itself waits for it, else 0
      #     pending?                   whether bytes are buffered that the poller does not see
      #     ready?                     whether the handshake, if any, is complete
      #     protocol                   "h2" or "http/1.1" when negotiated by ALPN, else nil
      #     scheme                     "http" or "https"
      #     late?(seconds, limits)     whether the handshake takes too long, `seconds` after the accept
      #     detach                     the socket, for another owner; nil when it cannot be handed over
      #     close
      #
      # The methods raise SystemCallError when the connection is lost.
      class Transport
        attr_reader :descriptor

        def initialize(socket)
          @socket = socket
          @descriptor = socket.fileno
        end

        # The peer's address, "127.0.0.1" or "::1"; nil for sockets without one, such as Unix sockets. Raises
        # SystemCallError when the peer is gone, because its address is then unknown.
        def peer
          address = @socket.remote_address
          address.ip_address if address.ip?
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
