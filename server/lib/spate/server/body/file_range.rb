# frozen_string_literal: true

module Spate
  module Server
    module Body
      # Bytes of a file, read into their place in the outbox.
      class FileRange
        attr_reader :length

        # The file belongs to the body and is closed with it.
        def initialize(file, position = 0, length = file.size - position)
          @file = file
          @descriptor = file.fileno
          @position = position
          @length = length
          @left = length
        end

        def done? = @left.zero?

        def frames(outbox, stream, limit, end_stream, max_frame)
          wanted = [limit, outbox.data_room(max_frame), @left].min
          return outbox.data(stream, "", 0, 0, end_stream, max_frame) && 0 if @left.zero?

          advance(outbox.file(stream, @descriptor, @position, wanted, end_stream && wanted == @left, max_frame), wanted)
        end

        def raw(outbox, limit)
          wanted = [limit, outbox.room, @left].min
          advance(outbox.raw_file(@descriptor, @position, wanted), wanted)
        end

        def close = @file.close

        private

        # The outbox may take less than there is room for, but nothing at all is the file's end.
        def advance(count, wanted)
          raise Truncated, "#{@file.path} ends #{@left} bytes early" if count.zero? && wanted.positive?

          @position += count
          @left -= count
          count
        end
      end
    end
  end
end
