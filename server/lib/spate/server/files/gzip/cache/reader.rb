# frozen_string_literal: true

module Spate
  module Server
    class Files
      class Gzip
        class Cache
          # A Body: one client's position in an Entry.
          class Reader
            # Total bytes, if they were known when the response began.
            attr_reader :length

            def initialize(entry)
              @entry = entry
              @length = entry.length
              @position = 0
              @done = false
            end

            def done? = @done
            def ready? = @entry.ready?(self, @position)

            def on_ready(connection, &block)
              @connection = connection
              @told = block
            end

            # Called on the entry's thread.
            def wake
              @connection ? @connection.post(&@told) : @told&.call
            end

            def drained?
              _, count, over = @entry.so_far(@position)
              over && @position == count
            rescue StandardError
              true # the error is raised by the next read
            end

            def at_hand = @entry.so_far(@position)[1] - @position

            def frames(write_buffer, stream, limit, end_stream)
              move([limit, write_buffer.data_room].min) do |bytes, count, last|
                ends = last && end_stream
                write_buffer.data(stream, bytes, @position, count, ends) if count.positive? || ends
              end
            end

            def raw(write_buffer, limit)
              move([limit, write_buffer.room].min) do |bytes, count, _|
                write_buffer.raw(bytes.byteslice(@position, count)) if count.positive?
              end
            end

            def close = @entry.leave(self)

            private

            # Yields all bytes so far, how many of them are sent next, and whether these are the last ones.
            def move(limit)
              bytes, available, over = @entry.so_far(@position)
              count = [available - @position, limit].min
              yield bytes, count, over && @position + count == available
              @position += count
              @done = over && @position == available
              count
            end
          end
        end
      end
    end
  end
end
