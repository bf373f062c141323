# frozen_string_literal: true

module Spate
  module Server
    class Cache
      # Coalesces concurrent uploads of one blob: one client sends it, the others wait until it is stored and need not
      # send it. None waits long for a slow one.
      class Uploads
        # Seconds.
        PATIENCE = 5

        # since: seconds, monotonic.
        Waiting = Struct.new(:since, :connection, :block)

        def initialize
          @sending = {}
        end

        # Runs the block at once when no other request uploads this key; otherwise in a tick of its connection, when the
        # first upload is over or the wait exceeds PATIENCE. A block that was run calls `over` at its end.
        def run(key, connection, &block)
          waiting = @sending[key]
          return waiting.push(Waiting.new(now, connection, block)) if waiting

          @sending[key] = []
          block.call
        rescue StandardError
          over(key)
          raise
        end

        # Waiting requests start again.
        def over(key)
          @sending.delete(key)&.each { |one| one.connection.post { run(key, one.connection, &one.block) } }
        end

        # Once a second.
        def every_second
          @sending.each_value.flat_map { |waiting| late(waiting) }.each { |one| one.connection.post(&one.block) }
        end

        private

        def late(waiting)
          late, others = waiting.partition { |one| now - one.since >= PATIENCE }
          waiting.replace(others)
          late
        end

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
