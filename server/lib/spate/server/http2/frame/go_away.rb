# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # The end of the connection, or its announcement: RFC 9113, section 6.8.
        #
        #     +-+-------------------------------------------------------------+
        #     |R|                  Last-Stream-ID (31)                        |
        #     +-+-------------------------------------------------------------+
        #     |                      Error Code (32)                          |
        #     +---------------------------------------------------------------+
        #     |                  Additional Debug Data (*)                  ...
        #     +---------------------------------------------------------------+
        module GoAway
          TYPE = 0x7
          # Shutdown first announces the highest possible identifier, then the last one that was processed.
          ANY_STREAM = (1 << 31) - 1

          # The peer opens no more streams; open ones continue.
          def self.receive(_, protocol) = protocol.flood_limit.take_earned("GOAWAY frames")

          def self.write(write_buffer, last_stream, code, debug = "")
            write_buffer.frame(TYPE, 0, 0, [last_stream, code].pack("NN") << debug)
          end
        end
      end
    end
  end
end
