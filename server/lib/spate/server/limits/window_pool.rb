# frozen_string_literal: true

module Spate
  module Server
    class Limits
      # Bytes that all peers of a process may have in their windows beyond what each has anyway.
      class WindowPool
        attr_reader :left

        def initialize(bytes)
          @left = bytes
        end

        # As many of them as there are.
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
