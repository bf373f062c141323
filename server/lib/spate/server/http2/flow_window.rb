# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Bytes that one side may still send, of a stream or of the connection: RFC 9113, section 5.2 and 6.9.
      class FlowWindow
        MOST = (1 << 31) - 1

        # May be below zero: a peer may shrink what it offered (section 6.9.2).
        attr_reader :size

        def initialize(size)
          @size = size
        end

        def open? = @size.positive?

        def take(bytes)
          @size -= bytes
        end

        # False where the window would be larger than any may be.
        def grow(bytes)
          return false if @size + bytes > MOST

          @size += bytes
          true
        end
      end
    end
  end
end
