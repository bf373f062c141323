# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # Ends the connection, or announces its end: RFC 9113, section 6.8.
        module GoAway
          TYPE = 0x7
          # A graceful shutdown first announces this highest possible identifier, and then the last stream that was
          # processed.
          ANY_STREAM = (1 << 31) - 1

          # The peer opens no more streams. Open streams continue.
          def self.receive(_, protocol) = protocol.flood_limit.take_earned("GOAWAY frames")

          def self.write(write_buffer, last_stream, code, debug = "")
            write_buffer.frame(TYPE, 0, 0, [last_stream, code].pack("NN") << debug)
          end
        end
      end
    end
  end
end
