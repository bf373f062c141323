# frozen_string_literal: true

module Spate
  module CLI
    class Timeline
      # Number of processors kept busy by all threads of this process, including those of the core, which emit no
      # events. Child processes (compilers, scripts) are not included.
      class Load
        PERIOD = 0.02

        # [[monotonic seconds, average of busy processors since the previous sample]]
        attr_reader :samples

        def initialize(clock:)
          @clock = clock
          @samples = []
          @last = [clock.call, used]
          @thread = Thread.new { sample while sleep(PERIOD) }
        end

        def stop
          @thread.kill.join
          sample
        end

        private

        def sample
          now = [@clock.call, used]
          seconds = now[0] - @last[0]
          return unless seconds.positive?

          @samples << [now[0], (now[1] - @last[1]) / seconds]
          @last = now
        end

        def used = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      end
    end
  end
end
