# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # More bytes that the receiver may send, on a stream or on all together (stream 0): RFC 9113, section 6.9.
        #
        #     +-+-------------------------------------------------------------+
        #     |R|              Window Size Increment (31)                     |
        #     +-+-------------------------------------------------------------+
        module WindowUpdate
          TYPE = 0x8

          # Updates that answer our DATA are free; many others are a flood.
          def self.receive(frame, protocol)
            protocol.flood_limit.take_earned("WINDOW_UPDATE frames")
            return protocol.scheduler.widen(frame.word) if frame.stream.zero?

            protocol.check_not_idle(frame, "WINDOW_UPDATE")
            stream = protocol.streams[frame.stream] and protocol.scheduler.widen_stream(stream, frame.word)
          end

          def self.write(write_buffer, stream, increment) = write_buffer.word(TYPE, stream, increment)
        end
      end
    end
  end
end
