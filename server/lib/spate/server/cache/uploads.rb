# frozen_string_literal: true

module Spate
  module Server
    class Cache
      # Who sends the same blob at the same time: one does, the others wait until it is there and then need not. None
      # waits for a slow one for long.
      class Uploads
        # Seconds.
        PATIENCE = 5

        # since: seconds, monotonic.
        Waiting = Struct.new(:since, :connection, :block)

        def initialize
          @sending = {}
        end

        # Calls the block: now where nobody else sends what has this key; else in a turn of its connection when the
        # first one is through, or was waited for long enough. Whoever was called says `over`.
        def run(key, connection, &block)
          waiting = @sending[key]
          return waiting.push(Waiting.new(now, connection, block)) if waiting

          @sending[key] = []
          block.call
        rescue StandardError
          over(key)
          raise
        end

        # Those who waited go on as if they had just come.
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
