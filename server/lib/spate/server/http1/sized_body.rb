# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # A request's body with a content-length (RFC 9112, section 6.2).
      class SizedBody
        # Bytes that are still to come.
        attr_reader :left

        def initialize(length)
          @left = length
        end

        # Takes bytes between two offsets of a DataView. Yields the content if there is any. Returns the number of bytes
        # taken.
        def take(view, from, to)
          count = to - from
          count = @left if count > @left
          @left -= count
          yield view.get_bytes(from, count) if count.positive?
          count
        end

        def done? = @left.zero?
        def trailers = {}
      end
    end
  end
end
