# frozen_string_literal: true

module Spate
  module Server
    class Reactor
      # What other threads bring. A batch of letters is one byte through the pipe, and none at all while the reactor is
      # at work: it looks here before it sleeps.
      class Mailbox
        BYTE = "x"

        def initialize
          @letters = Thread::Queue.new
          @wake, @waker = IO.pipe
          @awake = true
        end

        def descriptor = @wake.fileno

        # From any thread: a block for the reactor's, and the connection that it is about, or nil.
        def post(connection, block)
          @letters << [connection, block]
          wake
        end

        # From any thread or signal handler.
        def wake
          return if @awake

          @awake = true
          @waker.write_nonblock(BYTE, exception: false)
        rescue IOError, Errno::EPIPE
          nil
        end

        # Called before the reactor sleeps; answers whether it may. From here on each first letter sends a byte, so none
        # that comes after the look is slept over.
        def sleep?
          @awake = false
          @letters.empty?
        end

        # Called when it woke.
        def rise
          @awake = true
        end

        def empty_pipe = @wake.read_nonblock(4096, exception: false)

        # Yields the blocks that are here now, with their connections or nil. Answers the connections, each once, or nil
        # where there is nothing.
        def deliver
          count = @letters.size
          return if count.zero?

          about = {}.compare_by_identity
          count.times do
            connection, block = @letters.pop
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
