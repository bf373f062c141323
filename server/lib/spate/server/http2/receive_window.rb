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

        # Whether less than half of the window would be left after these bytes, even if all read bytes were offered
        # again.
        def low?(bytes) = @size - bytes < @full / 2

        # Enlarges the window.
        def grow(bytes)
          @full += bytes
          @size += bytes
        end

        # Whether the peer may send.
        def open? = @size.positive?

        # Called when bytes arrived. Returns false when they exceed the window.
        def receive(bytes)
          @size -= bytes
          @size >= 0
        end

        # Called when bytes were read. Returns the increment to offer now, or nil.
        def consume(bytes)
          @taken += bytes
          return if @taken < @full / 2

          offer = @taken
          @size += offer
          @taken = 0
          offer
        end
      end
    end
  end
end
