# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # Ends a stream at once: RFC 9113, section 6.4.
        #
        #     +---------------------------------------------------------------+
        #     |                        Error Code (32)                        |
        #     +---------------------------------------------------------------+
        module RstStream
          TYPE = 0x3

          # Limits rapid resets (CVE-2023-44487): a request and its reset are cheap for the peer, but make the server
          # run a handler.
          def self.receive(frame, protocol)
            protocol.check_not_idle(frame, "RST_STREAM")
            protocol.flood_limit.take("RST_STREAM frames")
            protocol.streams.forget(frame.stream)
          end

          def self.write(write_buffer, stream, code) = write_buffer.word(TYPE, stream, code)
        end
      end
    end
  end
end
