# frozen_string_literal: true

module Spate
  module Server
    class Response
      module Body
        # A String.
        class Bytes
          attr_reader :length

          def initialize(string)
            @string = string
            @length = string.bytesize
            @position = 0
          end

          def done? = @position == @length
          def at_hand = @length - @position

          def frames(outbox, stream, limit, end_stream)
            count = take(limit, outbox.data_room)
            outbox.data(stream, @string, @position, count, end_stream && @position + count == @length)
            @position += count
            count
          end

          def raw(outbox, limit)
            count = take(limit, outbox.room)
            outbox.raw(count == @length ? @string : @string.byteslice(@position, count))
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
