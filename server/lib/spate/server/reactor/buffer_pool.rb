# frozen_string_literal: true

module Spate
  module Server
    class Reactor
      # Buffers that no outbox has now, for the next that needs one. As many as there once were slow clients would be
      # gigabytes: those that are not needed go, half of them a second.
      class BufferPool < Array
        KEPT = 64

        def trim = pop([(size - KEPT + 1) / 2, 0].max)
      end
    end
  end
end
