# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # Allows the receiver of this frame to send more bytes, on one stream or on the whole connection (stream 0): RFC
        # 9113, section 6.9.
        module WindowUpdate
          TYPE = 0x8

          # Updates in response to the server's DATA frames are free. Other updates are charged, because many of them
          # are a flood.
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
