# frozen_string_literal: true

module Spate
  module Server
    class Response
      # The bodies of responses. `frames` writes DATA frames (HTTP/2) and `raw` writes bytes (HTTP/1.1), at most as many
      # as the write buffer has room for.
      module Body
        autoload :FileRange, "spate/server/response/body/file_range"
        autoload :Pipe, "spate/server/response/body/queue"
        autoload :Queue, "spate/server/response/body/queue"

        # A body of Strings from an Enumerator, sent one after another. The total length is unknown.
        class Chunks
          def initialize(parts, source)
            @parts = parts
            @source = source
            advance
          end

          def length = nil
          def done? = @part.nil?

          def frames(write_buffer, stream, limit, end_stream)
            return 0 if done?

            count = @part.frames(write_buffer, stream, limit, false)
            advance if @part.done?
            write_buffer.data(stream, "", 0, 0, true) if done? && end_stream
            count
          end

          def raw(write_buffer, limit)
            return 0 if done?

            count = @part.raw(write_buffer, limit)
            advance if @part.done?
            count
          end

          # Number of bytes that are available without calling the Enumerator.
          def at_hand = @part ? @part.at_hand : 0

          def close = @source.respond_to?(:close) && @source.close

          private

          # Moves to the next part that is not empty.
          def advance
            string = @parts.next
            string = @parts.next while string.empty?
            @part = Bytes.new(string)
          rescue StopIteration
            @part = nil
          end
        end

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

        # Raised when the body became shorter while it was sent, so that the announced length is wrong.
        class Truncated < StandardError
        end
      end
    end
  end
end
