# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # How a connection ends without an error: RFC 9113, section 6.8. A first GOAWAY names the highest stream there is;
      # requests that were on their way when it came are still taken. A round trip later a second one names the last.
      class GracefulShutdown
        ASKED = "goodbye?"
        # For a peer that does not answer the PING.
        SECONDS = 1

        def initialize(protocol)
          @protocol = protocol
          Frame::GoAway.write(protocol.write_buffer, Frame::GoAway::ANY_STREAM, ErrorCode::NO_ERROR)
          Frame::Ping.write(protocol.write_buffer, ASKED)
        end

        # Whether the last GOAWAY is out.
        def over? = @over

        # The answer to a PING; false where it was another's.
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
