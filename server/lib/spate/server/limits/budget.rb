# frozen_string_literal: true

module Spate
  module Server
    class Limits
      # What a connection may do in one turn before the others have theirs: a number of frames, and CPU time, since a
      # frame may cost anything.
      class Budget
        SECONDS = 0.005
        # The clock is read only once in so many frames.
        CLOCK_EVERY = 32

        # Frames that may still be taken in this turn.
        attr_reader :left

        def initialize(frames)
          @frames = frames
        end

        # turn: what tells one from the other; nil is always another. A connection may ask for frames several times in
        # its turn.
        def begin(turn)
          return if turn && turn == @turn

          @turn = turn
          @left = @frames
          @began_at = nil
        end

        # Takes a frame; true where there is none left.
        def spent?
          return true unless @left.positive?

          spend(1)
          false
        end

        # Frames, at most as many as are left.
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
