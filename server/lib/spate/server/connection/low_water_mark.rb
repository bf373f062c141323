# frozen_string_literal: true

module Spate
  module Server
    class Connection
      # Avoids a tick for each segment of a large body, because a tick costs more than processing the bytes of one
      # segment. After ENOUGH bytes of a body in large reads, the socket is reported as readable only when LOW_WATER
      # bytes have arrived. If fewer have arrived, they are read after SECONDS. The first small read ends this mode.
      class LowWaterMark
        LOW_WATER = 262_144
        # Minimum bytes of a large read.
        LEAST = 16_384
        ENOUGH = 262_144
        SECONDS = 0.001

        def initialize(transport)
          @transport = transport
          @streak = 0
          @on = false
        end

        def on? = @on

        # Called after each read. count: bytes of the read. body: whether more of a body follows.
        def note(count, body)
          return stop unless body && count >= LEAST

          @streak += count
          @on = @transport.low_water(LOW_WATER) if !@on && @streak >= ENOUGH
        end

        def stop
          @streak = 0
          @on = false if @on && @transport.low_water(1)
        end
      end
    end
  end
end
