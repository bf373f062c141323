# frozen_string_literal: true

module Spate
  module Server
    class Reactor
      # Blocks that other threads post to the reactor. A byte in the pipe wakes a sleeping reactor; while it is awake,
      # nothing is written, because it checks the queue before it sleeps.
      class EventQueue
        BYTE = "x"

        def initialize
          @events = Thread::Queue.new
          @wake, @waker = IO.pipe
          @awake = true
        end

        def descriptor = @wake.fileno

        # Queues a block to run on the reactor's thread. connection: the connection that the block concerns, or nil. May
        # be called from any thread.
        def post(connection, block)
          @events << [connection, block]
          wake
        end

        # Wakes the reactor. May be called from any thread or signal handler.
        def wake
          return if @awake

          @awake = true
          @waker.write_nonblock(BYTE, exception: false)
        rescue IOError, Errno::EPIPE
          nil
        end

        # Called before the reactor sleeps. Returns whether the queue is empty. After this call, the first event writes
        # a byte, so no wakeup is lost between this check and the sleep.
        def sleep?
          @awake = false
          @events.empty?
        end

        # Called when the reactor wakes.
        def awake
          @awake = true
        end

        def empty_pipe = @wake.read_nonblock(4096, exception: false)

        # Yields each queued block with its connection or nil. Returns the distinct connections, or nil when the queue
        # is empty.
        def deliver
          count = @events.size
          return if count.zero?

          about = {}.compare_by_identity
          count.times do
            connection, block = @events.pop
            yield block, connection
            about[connection] = true if connection
          end
          about.keys
        end

        def close
          [@wake, @waker].each(&:close)
        end
      end
    end
  end
end
