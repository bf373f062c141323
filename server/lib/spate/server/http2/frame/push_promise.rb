# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # Neither clients nor this server send it: RFC 9113, section 6.6. The reader rejects it with PROTOCOL_ERROR.
        module PushPromise
          TYPE = 0x5

          def self.receive(*) = raise(ConnectionError, "PUSH_PROMISE from a client")
        end
      end
    end
  end
end
