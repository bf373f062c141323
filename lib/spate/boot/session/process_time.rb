# frozen_string_literal: true

module Spate
  module Boot
    class Session
      # How long this process has run, by the clock and of the processor, over the same span. That begins at its start,
      # or, where the system does not report it (/proc), when this object was created.
      class ProcessTime
        # Milliseconds: Linux tells programs hundredths of a second on every architecture (USER_HZ).
        TICK = 10
        # The field of /proc/PID/stat, counted behind the name in parentheses.
        START = 19

        def initialize(stat: "/proc/self/stat")
          @stat = stat
          @wall = now
          @processor = processor
        end

        # Milliseconds [wall, processor].
        def to_a
          wall = since_start
          wall ? [wall, processor] : [now - @wall, processor - @processor]
        end

        private

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond)
        def processor = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :millisecond)

        # nil if it is unknown or implausible.
        def since_start
          return unless Process.const_defined?(:CLOCK_BOOTTIME)

          fields = File.read(@stat).rpartition(") ").last.split
          wall = Process.clock_gettime(Process::CLOCK_BOOTTIME, :millisecond) - (Integer(fields[START]) * TICK)
          wall if wall >= now - @wall
        rescue SystemCallError, TypeError, ArgumentError
          nil
        end
      end
    end
  end
end
