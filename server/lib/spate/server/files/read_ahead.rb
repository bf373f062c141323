# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Has a file read into the system's memory on another thread before the reactor reads it, which so never waits for
      # a disk. What is in memory already costs a few system calls a megabyte.
      class ReadAhead
        # Bytes that are looked at, or read, at once; with fewer than LOW ahead the next ones are.
        WINDOW = 2 << 20
        LOW = 1 << 20

        # found: a Native::Found. from, to: bytes that will be read. threads: a ThreadPool.
        def initialize(found, from, to, threads)
          @found = found
          @warm = from
          @to = to
          @threads = threads
          @reading = false
        end

        # Once `allowance` answered 0, the block is called through `connection.post` when there is more.
        def on_ready(connection, &block)
          @connection = connection
          @told = block
        end

        # Bytes from `position` on that can be read at once.
        def allowance(position)
          look if @warm - position < LOW && @warm < @to && !@reading
          @warm - position
        end

        private

        def look
          length = [WINDOW, @to - @warm].min
          return @warm += length if @found.cached?(@warm, length)

          @reading = @found.hold
          @threads.post { read(length) } if @reading
        end

        # An error comes again when the reactor reads, and is told there.
        def read(length)
          @found.warm(@warm, length)
        rescue SystemCallError
          nil
        ensure
          @warm += length
          @reading = false
          tell if @found.release
        end

        def tell
          return unless @told

          @connection ? @connection.post(&@told) : @told.call
        end
      end
    end
  end
end
