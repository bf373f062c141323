# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # The bytes that the peer may send on all streams together (RFC 9113, section 5.2). The window grows for a peer
      # that sends much.
      class ConnectionWindow < ReceiveWindow
        def initialize(write_buffer, connection, limits)
          @write_buffer = write_buffer
          @quota = Limits::WindowQuota.of(connection, limits, limits.connection_window)
          super(@quota.size)
        end

        # Called when DATA arrived. Raises ConnectionError when the window is exceeded.
        def receive(bytes)
          widen while low?(bytes) && @quota.more?
          return if super

          raise ConnectionError.new("more than the connection's window", ErrorCode::FLOW_CONTROL_ERROR)
        end

        # Called when bytes were read, so that they may be offered to the peer again.
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
