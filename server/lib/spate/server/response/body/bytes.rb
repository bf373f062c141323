# frozen_string_literal: true

module Spate
  module Server
    class Response
      module Body
        # A body that is a String.
        class Bytes
          attr_reader :length

          def initialize(string)
            @string = string
            @length = string.bytesize
            @position = 0
          end

          def done? = @position == @length
          def at_hand = @length - @position

          def frames(write_buffer, stream, limit, end_stream)
            count = take(limit, write_buffer.data_room)
            write_buffer.data(stream, @string, @position, count, end_stream && @position + count == @length)
            @position += count
            count
          end

          def raw(write_buffer, limit)
            count = take(limit, write_buffer.room)
            write_buffer.raw(count == @length ? @string : @string.byteslice(@position, count))
            @position += count
            count
          end

          def close; end

          private

          def take(limit, room) = [limit, room, @length - @position].min
        end
      end
    end
  end
end
