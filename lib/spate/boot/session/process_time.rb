# frozen_string_literal: true

module Spate
  module Boot
    class Session
      # The wall and processor time of this process over the same span. The span begins at the start of the process or,
      # if the system does not report it (/proc), with the creation of this object.
      class ProcessTime
        # In milliseconds: Linux reports hundredths of a second to programs on every architecture (USER_HZ).
        TICK = 10
        # The index of the field in /proc/PID/stat, counted from the end of the name in parentheses.
        START = 19

        def initialize(stat: "/proc/self/stat")
          @stat = stat
          @wall = now
          @processor = processor
        end

        # [wall, processor] in milliseconds.
        def to_a
          wall = since_start
          wall ? [wall, processor] : [now - @wall, processor - @processor]
        end

        private

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond)
        def processor = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :millisecond)

        # nil if the value is unknown or implausible.
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
