# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # What the peer may send us. Taken bytes are offered again once they come to half of the window: one WINDOW_UPDATE
      # for many frames.
      class ReceiveWindow
        def initialize(size)
          @full = size
          @size = size
          @taken = 0
        end

        # Whether less than half would be left, although what was read is offered again.
        def low?(bytes) = @size - bytes < @full / 2

        # So many more are offered.
        def grow(bytes)
          @full += bytes
          @size += bytes
        end

        # Whether the peer may send.
        def open? = @size.positive?

        # Bytes that came; false where they were more than was offered.
        def receive(bytes)
          @size -= bytes
          @size >= 0
        end

        # Bytes that somebody read. Answers what is to be offered now, or nil.
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
