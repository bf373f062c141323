# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # Opens a stream, or ends one with trailers: RFC 9113, section 6.2. The priority is deprecated and ignored.
        #
        #     +---------------+
        #     |Pad Length? (8)|
        #     +-+-------------+-----------------------------------------------+
        #     |E|                 Stream Dependency? (31)                     |
        #     +-+-------------+-----------------------------------------------+
        #     |  Weight? (8)  |
        #     +-+-------------+-----------------------------------------------+
        #     |                   Field Block Fragment (*)                  ...
        #     +---------------------------------------------------------------+
        #     |                           Padding (*)                       ...
        #     +---------------------------------------------------------------+
        module Headers
          TYPE = 0x1

          # A header block whose END_HEADERS has not arrived yet. faulty: whether the stream depends on itself.
          Open = Struct.new(:stream, :end_stream, :bytes, :frames, :faulty)

          def self.receive(frame, protocol)
            if frame.end_headers?
              protocol.requests.receive_block(frame.stream, frame.end_stream?, frame.self_dependent?, protocol.buffer,
                                              frame.content_offset, frame.content_length)
            else
              protocol.open_block = Open.new(frame.stream, frame.end_stream?, protocol.content(frame), 0,
                                             frame.self_dependent?)
            end
          end

          # Writes HEADERS, and CONTINUATION when the block is longer than a frame. status: nil for trailers.
          def self.write(write_buffer, stream, encoder, status, fields, end_stream:)
            write_buffer.headers(stream, encoder, status, fields, end_stream)
          end
        end
      end
    end
  end
end
