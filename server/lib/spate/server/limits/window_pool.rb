# frozen_string_literal: true

module Spate
  module Server
    class Limits
      # Bytes of window that all peers of a process share, in addition to the minimum that each peer has.
      class WindowPool
        attr_reader :left

        def initialize(bytes)
          @left = bytes
        end

        # Takes bytes from the pool, at most as many as are left. Returns their number.
        def take(bytes)
          bytes = [bytes, @left].min
          @left -= bytes
          bytes
        end

        def give_back(bytes)
          @left += bytes
        end
      end
    end
  end
end
