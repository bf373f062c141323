# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # A request's body whose length was told: RFC 9112, section 6.2.
      class SizedBody
        # Bytes that are still to come.
        attr_reader :left

        def initialize(length)
          @left = length
        end

        # Takes bytes between two offsets of a DataView, yields their content unless there is none, and answers how many
        # they are.
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
