# frozen_string_literal: true

module Spate
  module Server
    class Connection
      # A peer that sends a big body wakes a quick server for each of its segments, and a tick costs more than the bytes
      # of one. Once a connection has brought ENOUGH of a body in a row, its socket is reported readable only with
      # LOW_WATER bytes; what came is still read after SECONDS. The first small read ends that.
      class LowWaterMark
        LOW_WATER = 262_144
        # Bytes of a read that is part of it.
        LEAST = 16_384
        ENOUGH = 262_144
        SECONDS = 0.001

        def initialize(transport)
          @transport = transport
          @streak = 0
          @on = false
        end

        def on? = @on

        # count: bytes of a read. body: whether more of a body is to come behind them.
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
