# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # More of a header block: RFC 9113, section 6.10. The reader rejects any other frame in between.
        #
        #     +---------------------------------------------------------------+
        #     |                   Field Block Fragment (*)                  ...
        #     +---------------------------------------------------------------+
        module Continuation
          TYPE = 0x9

          # The two limits, on frames and on bytes, protect against the CONTINUATION flood (CVE-2024-27316).
          def self.receive(frame, protocol)
            open = protocol.open_block
            open.bytes << protocol.content(frame)
            open.frames += 1
            check(open, protocol.limits)
            return unless frame.end_headers?

            protocol.open_block = nil
            protocol.requests.receive_block(open.stream, open.end_stream, open.faulty, open.bytes, 0,
                                            open.bytes.bytesize)
          end

          def self.check(open, limits)
            return if open.bytes.bytesize <= limits.header_block && open.frames <= limits.continuations

            raise ConnectionError.new("a header block of more than #{limits.header_block} bytes or " \
                                      "#{limits.continuations} frames", ErrorCode::ENHANCE_YOUR_CALM)
          end
          private_class_method :check
        end
      end
    end
  end
end
