# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # The peer's settings (RFC 9113, section 6.5.2).
      class PeerSettings
        HEADER_TABLE_SIZE = 0x1
        ENABLE_PUSH = 0x2
        MAX_CONCURRENT_STREAMS = 0x3
        INITIAL_WINDOW_SIZE = 0x4
        MAX_FRAME_SIZE = 0x5
        MAX_HEADER_LIST_SIZE = 0x6
        # Defined in RFC 9218, section 2.1.
        NO_RFC7540_PRIORITIES = 0x9

        attr_reader :header_table_size, :initial_window_size

        def initialize
          @header_table_size = 4096
          @initial_window_size = 65_535
        end

        # Sets one parameter. Unknown parameters are ignored. Raises ConnectionError for an invalid value.
        def set(identifier, value)
          case identifier
          when HEADER_TABLE_SIZE then @header_table_size = value
          when ENABLE_PUSH then check(value <= 1, "ENABLE_PUSH is #{value}")
          when INITIAL_WINDOW_SIZE then @initial_window_size = window(value)
          when MAX_FRAME_SIZE then check(value.between?(16_384, 16_777_215), "MAX_FRAME_SIZE is #{value}")
          when NO_RFC7540_PRIORITIES then check(value <= 1, "NO_RFC7540_PRIORITIES is #{value}")
          end
        end

        private

        def window(value)
          check(value <= Scheduler::LARGEST_WINDOW, "INITIAL_WINDOW_SIZE is #{value}", ErrorCode::FLOW_CONTROL_ERROR)
          value
        end

        def check(good, reason, code = ErrorCode::PROTOCOL_ERROR)
          raise ConnectionError.new(reason, code) unless good
        end
      end
    end
  end
end
