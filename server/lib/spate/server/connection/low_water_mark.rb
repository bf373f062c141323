# frozen_string_literal: true

module Spate
  module Server
    class Connection
      # Avoids a tick for each segment of a large body, because a tick costs more than processing the bytes of one
      # segment. After ENOUGH consecutive bytes of a body, the socket is reported readable only with LOW_WATER bytes;
      # fewer bytes are read after SECONDS. The first small read ends this mode.
      class LowWaterMark
        LOW_WATER = 262_144
        # A read of at least this many bytes counts.
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
