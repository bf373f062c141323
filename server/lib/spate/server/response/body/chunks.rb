# frozen_string_literal: true

module Spate
  module Server
    class Response
      module Body
        # A body of Strings from an Enumerator, sent one after another. Their number is unknown.
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
      end
    end
  end
end
