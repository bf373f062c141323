# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      module Frame
        # Bytes of a request or a response: RFC 9113, section 6.1. Flow control counts the whole payload.
        #
        #     +---------------+
        #     |Pad Length? (8)|
        #     +---------------+-----------------------------------------------+
        #     |                            Data (*)                         ...
        #     +---------------------------------------------------------------+
        #     |                          Padding? (*)                       ...
        #     +---------------------------------------------------------------+
        module Data
          TYPE = 0x0
          # Consecutive frames of a stream are received as one if each has at least this many bytes of content.
          JOINED = 1024

          def self.receive(frame, protocol)
            length = frame.content_length
            charge(length, protocol.flood_limit) if length < Limits::TokenBucket::TINY && !frame.end_stream?
            protocol.requests.receive_data(frame)
          end

          # Limits empty frames (CVE-2019-9518) and bodies that are sent one byte at a time.
          def self.charge(length, flood_limit)
            return flood_limit.take("empty DATA frames") if length.zero?

            flood_limit.take("tiny DATA frames", Limits::TokenBucket::TINY_COST)
          end
          private_class_method :charge

          # Response bodies are not written here: their Body writes many frames at once.
          def self.write(write_buffer, stream, bytes, end_stream: false)
            write_buffer.data(stream, bytes, 0, bytes.bytesize, end_stream)
          end
        end
      end
    end
  end
end
