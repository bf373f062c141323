# frozen_string_literal: true

module Spate
  module Boot
    # What this process has taken since it was started, by the clock and of the processor: the same stretch for both.
    # Where the system does not tell the start (/proc), both are of the time since this was made.
    class Stretch
      # Of a second, in what Linux tells programs on every architecture (USER_HZ).
      TICK = 10
      # Of /proc/PID/stat, behind the name in parentheses.
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

      # nil where it is not known, or is no time that this process can have been there.
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
