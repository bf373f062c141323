# frozen_string_literal: true

module Spate
  module Install
    # Garbage is collected once there is some: finding what an install of a few hundred gems leaves takes more time than
    # its memory is worth. The command line turns collection off at its start; the threads that work look here now and
    # then.
    module Garbage
      # From so many objects, or bytes beside them, Ruby collects as it likes.
      OBJECTS = 400_000
      BYTES = 32 << 20

      module_function

      def look
        GC.enable if GC.stat(:heap_live_slots) > OBJECTS || GC.stat(:malloc_increase_bytes) > BYTES
      end
    end
  end
end
