# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Frames (RFC 9113, sections 4.1 and 6), one file per type. `receive(frame, protocol)` applies a received frame.
      # `frame` is the Native::FrameReader, which has checked length, stream and padding. `write` appends a frame to a
      # write buffer.
      #
      #     +-----------------------------------------------+
      #     |                 Length (24)                   |
      #     +---------------+---------------+---------------+
      #     |   Type (8)    |   Flags (8)   |
      #     +-+-------------+---------------+-------------------------------+
      #     |R|                 Stream Identifier (31)                      |
      #     +=+=============================================================+
      #     |                   Frame Payload (0...)                      ...
      #     +---------------------------------------------------------------+
      module Frame
        autoload :Continuation, "spate/server/http2/frame/continuation"
        autoload :Data, "spate/server/http2/frame/data"
        autoload :GoAway, "spate/server/http2/frame/go_away"
        autoload :Headers, "spate/server/http2/frame/headers"
        autoload :Ping, "spate/server/http2/frame/ping"
        autoload :Priority, "spate/server/http2/frame/priority"
        autoload :PriorityUpdate, "spate/server/http2/frame/priority"
        autoload :PushPromise, "spate/server/http2/frame/push_promise"
        autoload :RstStream, "spate/server/http2/frame/rst_stream"
        autoload :Settings, "spate/server/http2/frame/settings"
        autoload :WindowUpdate, "spate/server/http2/frame/window_update"

        ACK = 0x1
        END_STREAM = 0x1
        END_HEADERS = 0x4

        TYPES = [Data, Headers, Priority, RstStream, Settings, PushPromise, Ping, GoAway, WindowUpdate,
                 Continuation, *Array.new(6), PriorityUpdate].freeze
      end
    end
  end
end
