# frozen_string_literal: true

module Spate
  module Server
    class Connection
      # How a connection's bytes go through its socket. Each kind answers:
      #
      #     descriptor                 the socket's number
      #     receive(buffer, offset)    bytes that came into an ArrayBuffer at `offset`; 0 at the end, nil for none
      #     low_water(bytes)           whether the poller is silent now until so many bytes are there
      #     flush(write buffer)              true when the write buffer is empty, false when the socket takes no more
      #     wanted                     READ or WRITE: what it waits for itself, and nothing goes on before that; else 0
      #     pending?                   bytes came that no poller will tell of
      #     ready?                     a handshake, where there is one, is through
      #     protocol                   "h2" or "http/1.1" where the peer chose, else nil: the first bytes tell
      #     scheme                     "http" or "https"
      #     late?(seconds, limits)     too long in getting ready, so many seconds after the socket was taken
      #     detach                     the socket for somebody else, nil where it cannot be given away
      #     close
      #
      # SystemCallError where the connection is lost.
      class Transport
        attr_reader :descriptor

        def initialize(socket)
          @socket = socket
          @descriptor = socket.fileno
        end

        # The other end's address, "127.0.0.1" or "::1"; nil where it has none, as over a Unix socket. SystemCallError
        # where it is gone: nobody can say any more who that was.
        def peer
          address = @socket.remote_address
          address.ip_address if address.ip?
        end
      end
    end
  end
end
