# frozen_string_literal: true

module Spate
  module Server
    class Connection
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
