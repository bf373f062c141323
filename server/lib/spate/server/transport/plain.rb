# frozen_string_literal: true

module Spate
  module Server
    module Transport
      # Clear text.
      class Plain
        attr_reader :descriptor

        # reactor: answers doze, or nil.
        def initialize(socket, reactor = nil)
          @socket = socket
          @reactor = reactor
          @descriptor = socket.fileno
        end

        def receive(buffer, offset) = Native.receive(@descriptor, buffer, offset)
        def low_water(bytes) = Native.low_water(@descriptor, bytes)

        def flush(outbox)
          return outbox.flush(@descriptor) unless @reactor && outbox.files?

          @reactor.doze { |wake| outbox.flush(@descriptor, wake) }
        end

        def wanted = 0
        def pending? = false
        def ready? = true
        def protocol = nil
        def scheme = "http"
        def peer = Transport.address(@socket)
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
