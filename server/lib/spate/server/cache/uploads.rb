# frozen_string_literal: true

module Spate
  module Server
    class Cache
      # Coalesces concurrent uploads of one blob: one client sends the blob; the other clients wait until it is stored
      # and need not send it. The wait for a slow client is limited.
      class Uploads
        # Seconds that a request waits for another client's upload.
        PATIENCE = 5

        # since: start of the wait in seconds, monotonic.
        Waiting = Struct.new(:since, :connection, :block)

        def initialize
          @sending = {}
        end

        # Runs the block at once when no other request uploads this key. Otherwise the block runs in a later tick of its
        # connection, when the first upload is over or the wait exceeds PATIENCE. The block must lead to a call of
        # `over` when its upload ends.
        def run(key, connection, &block)
          waiting = @sending[key]
          return waiting.push(Waiting.new(now, connection, block)) if waiting

          @sending[key] = []
          block.call
        rescue StandardError
          over(key)
          raise
        end

        # Called when the upload of a key is over: the waiting requests start again.
        def over(key)
          @sending.delete(key)&.each { |one| one.connection.post { run(key, one.connection, &one.block) } }
        end

        # Called once a second.
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
