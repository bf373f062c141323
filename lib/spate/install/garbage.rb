# frozen_string_literal: true

module Spate
  module Install
    # Enables garbage collection once there is enough garbage: for an install of a few hundred gems, collecting takes
    # more time than its memory is worth. The command line disables GC at its start; working threads call this
    # regularly.
    module Garbage
      # With more objects, or more bytes allocated outside of them, GC is enabled.
      OBJECTS = 400_000
      BYTES = 32 << 20

      module_function

      def look
        GC.enable if GC.stat(:heap_live_slots) > OBJECTS || GC.stat(:malloc_increase_bytes) > BYTES
      end
    end
  end
end
