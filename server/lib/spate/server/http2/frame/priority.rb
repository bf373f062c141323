# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # Deprecated; read and ignored, in every state of a stream: RFC 9113, section 6.3.
        #
        #     +-+-------------------------------------------------------------+
        #     |E|                  Stream Dependency (31)                     |
        #     +-+-------------+-----------------------------------------------+
        #     |   Weight (8)  |
        #     +---------------+
        module Priority
          TYPE = 0x2

          def self.receive(_, protocol) = protocol.flood_limit.take("PRIORITY frames")
        end

        # Another priority for a request, which may be still to come: RFC 9218, section 7.1. On stream 0.
        #
        #     +-+-------------------------------------------------------------+
        #     |R|                Prioritized Stream ID (31)                   |
        #     +-+-------------------------------------------------------------+
        #     |                   Priority Field Value (*)                  ...
        #     +---------------------------------------------------------------+
        module PriorityUpdate
          TYPE = 0x10
          # Bytes of a field's value that are parsed; known values take five.
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
