# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # The receiver sends the same bytes back: RFC 9113, section 6.7.
        #
        #     +---------------------------------------------------------------+
        #     |                      Opaque Data (64)                         |
        #     +                                                               +
        #     |                                                               |
        #     +---------------------------------------------------------------+
        module Ping
          TYPE = 0x6

          def self.receive(frame, protocol)
            return protocol.ping_answered(protocol.content(frame)) if frame.ack?

            protocol.flood_limit.take("PING frames")
            write(protocol.write_buffer, protocol.content(frame), ack: true)
          end

          def self.write(write_buffer, opaque, ack: false) = write_buffer.frame(TYPE, ack ? ACK : 0, 0, opaque)
        end
      end
    end
  end
end
