# frozen_string_literal: true

module Spate
  module Server
    class Response
      module Body
        # A range of a file, read directly into the write buffer, or sent by sendfile.
        class FileRange
          attr_reader :length

          # file: a File or a Native::Found, closed with the body. ahead: a Files::ReadAhead that reads the file in
          # advance.
          def initialize(file, position = 0, length = file.size - position, ahead: nil)
            @file = file
            @descriptor = file.fileno
            @position = position
            @length = length
            @left = length
            @ahead = ahead
            @watched = file.respond_to?(:altered?)
          end

          def done? = @left.zero?
          def at_hand = @left

          # Whether bytes are available without waiting for a disk.
          def ready? = @ahead.nil? || @left.zero? || @ahead.allowance(@position).positive?
          def on_ready(...) = @ahead&.on_ready(...)
          def drained? = false

          def frames(write_buffer, stream, limit, end_stream)
            return write_buffer.data(stream, "", 0, 0, end_stream) && 0 if @left.zero?

            wanted = [limit, write_buffer.data_room, available].min
            advance(write_buffer.file(stream, @descriptor, @position, wanted, end_stream && wanted == @left), wanted)
          end

          def raw(write_buffer, limit)
            # The write buffer accepts more bytes of a file than it has room for, so file_room applies unless the limit
            # is lower.
            most = limit < write_buffer.room ? limit : write_buffer.file_room
            wanted = [most, available].min
            advance(write_buffer.raw_file(@descriptor, @position, wanted), wanted)
          end

          def close = @file.close

          private

          def available = @ahead ? [@left, @ahead.allowance(@position)].min : @left

          # The write buffer may accept fewer bytes than requested, but zero bytes mean the end of the file.
          def advance(count, wanted)
            raise Truncated, "#{@file.path} ends #{@left} bytes early" if count.zero? && wanted.positive?
            # Detects a changed file, because the response must not mix old and new content.
            raise Truncated, "#{@file.path} changed while it was sent" if @watched && @file.altered?

            @position += count
            @left -= count
            count
          end
        end
      end
    end
  end
end
