# frozen_string_literal: true

require "net/http"

module Spate
  module Registry
    module HTTP
      # A Net::HTTP for servers that may mean no good: Net::HTTP itself reads lines of any length, any number of them,
      # at any pace.
      class Session < Net::HTTP
        # Reads from the connection for Net::HTTP, lines within a limit.
        class Wire < Net::BufferedIO
          # Bytes of lines in a row: an answer's status and headers, or what follows a body in chunks.
          LINES = 256 * 1024

          # meter: Meter
          def initialize(meter, **timeouts)
            super
            @lines = 0
          end

          def readuntil(*)
            line = @io.within(LINES - @lines) { super }
            @lines += line.bytesize
            line
          end

          def read(*)
            @lines = 0
            super
          end

          def write(*)
            @lines = 0
            super
          end
        end

        private

        # Net::HTTP calls it for each connection that it makes.
        def on_connect
          timeouts = { read_timeout: read_timeout, write_timeout: write_timeout, continue_timeout: continue_timeout }
          @socket = Wire.new(Meter.new(@socket.io, read_timeout), **timeouts)
        end
      end
    end
  end
end
