# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Error codes: RFC 9113, section 7.
      module ErrorCode
        NO_ERROR = 0x0
        PROTOCOL_ERROR = 0x1
        INTERNAL_ERROR = 0x2
        FLOW_CONTROL_ERROR = 0x3
        SETTINGS_TIMEOUT = 0x4
        STREAM_CLOSED = 0x5
        FRAME_SIZE_ERROR = 0x6
        REFUSED_STREAM = 0x7
        CANCEL = 0x8
        COMPRESSION_ERROR = 0x9
        CONNECT_ERROR = 0xa
        ENHANCE_YOUR_CALM = 0xb
        INADEQUATE_SECURITY = 0xc
        HTTP_1_1_REQUIRED = 0xd

        # number => :NAME, for logs.
        NAMES = constants.to_h { |name| [const_get(name), name] }.freeze
      end

      # Ends the connection with GOAWAY: RFC 9113, section 5.4.1.
      class ConnectionError < Server::ConnectionError
        # A constant of ErrorCode.
        attr_reader :code

        def initialize(reason, code = ErrorCode::PROTOCOL_ERROR)
          super(reason)
          @code = code
        end
      end

      # Ends one stream with RST_STREAM: RFC 9113, section 5.4.2.
      class StreamError < StandardError
        # code: a constant of ErrorCode. stream: the stream's identifier.
        attr_reader :code, :stream

        def initialize(reason, code, stream)
          super(reason)
          @code = code
          @stream = stream
        end
      end
    end
  end
end
