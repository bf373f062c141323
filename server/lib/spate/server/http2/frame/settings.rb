# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # Announces parameters of the sender: RFC 9113, section 6.5. The payload is a list of identifiers and values.
        #
        #     +-------------------------------+
        #     |       Identifier (16)         |
        #     +-------------------------------+-------------------------------+
        #     |                        Value (32)                             |
        #     +---------------------------------------------------------------+
        module Settings
          TYPE = 0x4
          # Maximum number of parameters in one frame; about a dozen parameters are defined.
          MOST = 64

          def self.receive(frame, protocol)
            return protocol.settings_acknowledged if frame.ack?

            protocol.flood_limit.take("SETTINGS frames")
            parameters = protocol.content(frame).unpack("nN" * [frame.content_length / 6, MOST + 1].min)
            if parameters.size > 2 * MOST
              raise ConnectionError.new("SETTINGS has more than #{MOST} parameters", ErrorCode::ENHANCE_YOUR_CALM)
            end

            protocol.apply_settings(parameters)
            protocol.write_buffer.frame(TYPE, ACK, 0, nil)
          end

          # settings: { identifier => value }.
          def self.write(write_buffer, settings)
            write_buffer.frame(TYPE, 0, 0, settings.to_a.flatten.pack("nN" * settings.size))
          end
        end
      end
    end
  end
end
