# frozen_string_literal: true

module Spate
  module Server
    class Limits
      # Limits a connection's work in one tick of the event loop: the number of frames, and the CPU time, because the
      # cost of a frame varies.
      class Budget
        SECONDS = 0.005
        # The clock is read once per CLOCK_EVERY frames.
        CLOCK_EVERY = 32

        # Frames that may still be processed in this tick.
        attr_reader :left

        def initialize(frames)
          @frames = frames
        end

        # Starts a tick. tick: identifies the tick; nil always means a new one. A connection may call this several
        # times in one tick.
        def begin(tick)
          return if tick && tick == @tick

          @tick = tick
          @left = @frames
          @began_at = nil
        end

        # Takes one frame from the budget. Returns true when none was left.
        def spent?
          return true unless @left.positive?

          spend(1)
          false
        end

        # Takes frames from the budget. count: at most the number of frames that are left.
        def spend(count)
          before = @left / CLOCK_EVERY
          @left -= count
          @left = 0 if @left / CLOCK_EVERY != before && over?
        end

        private

        def over?
          return now - @began_at > SECONDS if @began_at

          @began_at = now
          false
        end

        def now = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
      end
    end
  end
end
