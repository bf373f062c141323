# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # Clients must not send it, and this server does not: RFC 9113, section 6.6. The reader rejects it with
        # PROTOCOL_ERROR.
        module PushPromise
          TYPE = 0x5

          def self.receive(*) = raise(ConnectionError, "PUSH_PROMISE from a client")
        end
      end
    end
  end
end
