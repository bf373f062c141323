# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # Deprecated. Read and ignored in every state of a stream: RFC 9113, section 6.3.
        module Priority
          TYPE = 0x2

          def self.receive(_, protocol) = protocol.flood_limit.take("PRIORITY frames")
        end

        # Changes the priority of a request, which may not have arrived yet: RFC 9218, section 7.1. Sent on stream 0.
        #
        #     +-+-------------------------------------------------------------+
        #     |R|                Prioritized Stream ID (31)                   |
        #     +-+-------------------------------------------------------------+
        #     |                   Priority Field Value (*)                  ...
        #     +---------------------------------------------------------------+
        module PriorityUpdate
          TYPE = 0x10
          # Maximum bytes of a field's value that are parsed. Typical values have five bytes.
          MOST = 256

          def self.receive(frame, protocol)
            raise ConnectionError, "PRIORITY_UPDATE on a stream" unless frame.stream.zero?
            if frame.content_length < 4
              raise ConnectionError.new("PRIORITY_UPDATE is shorter than 4 bytes", ErrorCode::FRAME_SIZE_ERROR)
            end

            protocol.flood_limit.take_earned("PRIORITY_UPDATE frames")
            content = protocol.content(frame)
            id = content.unpack1("N") & Scheduler::LARGEST_WINDOW
            raise ConnectionError, "PRIORITY_UPDATE for stream #{id}, expected a client's stream" if id.even?

            protocol.prioritize(id, Native.priority(content.byteslice(4, MOST)))
          end
        end
      end
    end
  end
end
