# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Ends a connection without an error (RFC 9113, section 6.8). The first GOAWAY contains the highest possible
      # stream identifier, so requests in transit are still accepted. A round trip later, a second GOAWAY contains the
      # last stream.
      class GracefulShutdown
        ASKED = "goodbye?"
        # Seconds after which the last GOAWAY is sent to a peer that does not answer the PING.
        SECONDS = 1

        def initialize(protocol)
          @protocol = protocol
          Frame::GoAway.write(protocol.write_buffer, Frame::GoAway::ANY_STREAM, ErrorCode::NO_ERROR)
          Frame::Ping.write(protocol.write_buffer, ASKED)
        end

        # Whether the last GOAWAY was sent.
        def over? = @over

        # Called for the answer to a PING. Returns false when the answer belongs to another PING.
        def answered(opaque)
          return false if opaque != ASKED

          finish
          true
        end

        def late(now)
          @since ||= now
          finish if now - @since >= SECONDS
        end

        private

        def finish
          return if @over

          @over = true
          Frame::GoAway.write(@protocol.write_buffer, @protocol.streams.last, ErrorCode::NO_ERROR)
        end
      end
    end
  end
end
