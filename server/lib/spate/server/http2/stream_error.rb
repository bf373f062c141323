# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Ends one stream with RST_STREAM: RFC 9113, section 5.4.2.
      class StreamError < StandardError
        # One of ErrorCode; the stream's identifier.
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
