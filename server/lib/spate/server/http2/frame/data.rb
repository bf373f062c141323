# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # Bytes of a request or a response: RFC 9113, section 6.1. Flow control counts the whole payload.
        #
        #     +---------------+
        #     |Pad Length? (8)|
        #     +---------------+-----------------------------------------------+
        #     |                            Data (*)                         ...
        #     +---------------------------------------------------------------+
        #     |                          Padding? (*)                       ...
        #     +---------------------------------------------------------------+
        module Data
          TYPE = 0x0

          def self.receive(frame, protocol)
            protocol.patience.try("empty DATA frames") if frame.content_length.zero? && !frame.end_stream?
            protocol.receive_data(frame)
          end

          # Responses are written by their Body, many frames at once.
          def self.write(outbox, stream, bytes, end_stream: false, max_frame: 16_384)
            outbox.data(stream, bytes, 0, bytes.bytesize, end_stream, max_frame)
          end
        end
      end
    end
  end
end
