# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Ends the connection with GOAWAY: RFC 9113, section 5.4.1.
      class ConnectionError < Server::ConnectionError
        # One of ErrorCode.
        attr_reader :code

        def initialize(reason, code = ErrorCode::PROTOCOL_ERROR)
          super(reason)
          @code = code
        end
      end
    end
  end
end
