# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # The bytes that the peer may send. Bytes that were read are offered again when they reach half of the window, so
      # one WINDOW_UPDATE serves many frames.
      class ReceiveWindow
        def initialize(size)
          @full = size
          @size = size
          @taken = 0
        end

        # Whether less than half of the window would be left after these bytes.
        def low?(bytes) = @size - bytes < @full / 2

        # Enlarges the window.
        def grow(bytes)
          @full += bytes
          @size += bytes
        end

        # Whether the peer may send.
        def open? = @size.positive?

        # Called when bytes arrive. Returns false when they exceed the window.
        def receive(bytes)
          @size -= bytes
          @size >= 0
        end

        # Called when bytes are read. Returns the increment to offer now, or nil.
        def consume(bytes)
          @taken += bytes
          return if @taken < @full / 2

          offer = @taken
          @size += offer
          @taken = 0
          offer
        end
      end

      # The bytes that the peer may send on all streams together (RFC 9113, section 5.2). The window grows for a peer
      # that sends much.
      class ConnectionWindow < ReceiveWindow
        def initialize(write_buffer, connection, limits)
          @write_buffer = write_buffer
          @quota = Limits::WindowQuota.of(connection, limits, limits.connection_window)
          super(@quota.size)
        end

        # Called when DATA arrives. Raises ConnectionError when the window is exceeded.
        def receive(bytes)
          widen while low?(bytes) && @quota.more?
          return if super

          raise ConnectionError.new("more than the connection's window", ErrorCode::FLOW_CONTROL_ERROR)
        end

        # Called when bytes are read, so that they can be offered to the peer again.
        def consume(bytes)
          offer = super unless @stopped
          Frame::WindowUpdate.write(@write_buffer, 0, offer) if offer
        end

        # Stops offering bytes, because the connection ends with an error.
        def stop
          @stopped = true
        end

        def close = @quota.give_back

        private

        def widen
          more = @quota.widen
          grow(more)
          Frame::WindowUpdate.write(@write_buffer, 0, more)
        end
      end
    end
  end
end
