# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # A client never sends it, and we do not: RFC 9113, section 6.6. The reader refuses it as PROTOCOL_ERROR.
        #
        #     +---------------+
        #     |Pad Length? (8)|
        #     +-+-------------+-----------------------------------------------+
        #     |R|                  Promised Stream ID (31)                    |
        #     +-+-----------------------------+-------------------------------+
        #     |                   Field Block Fragment (*)                  ...
        #     +---------------------------------------------------------------+
        #     |                           Padding (*)                       ...
        #     +---------------------------------------------------------------+
        module PushPromise
          TYPE = 0x5

          def self.receive(*) = raise(ConnectionError, "PUSH_PROMISE from a client")
        end
      end
    end
  end
end
