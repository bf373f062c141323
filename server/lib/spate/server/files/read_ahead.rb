# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Reads a file into the page cache on another thread, so that the reactor never waits for a disk. If the pages are
      # in memory already, this costs a few system calls per megabyte.
      class ReadAhead
        # WINDOW: bytes per read. LOW: the next read starts when fewer bytes are available.
        WINDOW = 2 << 20
        LOW = 1 << 20

        # found: a Native::Found. from, to: the range that will be read. threads: a ThreadPool.
        def initialize(found, from, to, threads)
          @found = found
          @warm = from
          @to = to
          @threads = threads
          @reading = false
        end

        # After `allowance` returned 0, the block is called through `connection.post` when there are bytes again.
        def on_ready(connection, &block)
          @connection = connection
          @told = block
        end

        # Returns how many bytes from `position` on can be read without waiting for a disk.
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

        # Ignores errors: they occur again when the reactor reads, and are reported there.
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
