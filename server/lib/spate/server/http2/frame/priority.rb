# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # Deprecated; read and ignored, in every state of a stream: RFC 9113, section 6.3.
        #
        #     +-+-------------------------------------------------------------+
        #     |E|                  Stream Dependency (31)                     |
        #     +-+-------------+-----------------------------------------------+
        #     |   Weight (8)  |
        #     +---------------+
        module Priority
          TYPE = 0x2

          def self.receive(_, protocol) = protocol.flood_limit.take("PRIORITY frames")
        end
      end
    end
  end
end
