# frozen_string_literal: true

module Spate
  module Install
    # Garbage is collected once there is some: what an install of a few hundred gems leaves takes less memory than it
    # takes time to find. The command line turns collection off at its start; whoever works looks here now and then.
    module Garbage
      # Objects, and bytes beside them, from which on Ruby collects as it likes.
      OBJECTS = 400_000
      BYTES = 32 << 20

      module_function

      def look
        GC.enable if GC.stat(:heap_live_slots) > OBJECTS || GC.stat(:malloc_increase_bytes) > BYTES
      end
    end
  end
end
