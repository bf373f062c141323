# frozen_string_literal: true

module Spate
  module Server
    class Files
      module Ranges
        # A Body that consists of other Bodies: several ranges in one response (RFC 9110, section 14.6).
        class Multipart
          attr_reader :length, :type

          # type: the media type of each part. size: the size of the whole file. ranges: [[first, length], ...]. The
          # block returns a Body for each range.
          def initialize(type, size, ranges)
            boundary = Random.urandom(15).unpack1("H*")
            @type = "multipart/byteranges; boundary=#{boundary}"
            @parts = ranges.flat_map do |first, length|
              [Response::Body::Bytes.new("\r\n--#{boundary}\r\ncontent-type: #{type}\r\n" \
                               "content-range: bytes #{first}-#{first + length - 1}/#{size}\r\n\r\n"),
               yield(first, length)]
            end
            @parts << Response::Body::Bytes.new("\r\n--#{boundary}--\r\n")
            @all = @parts.dup
            @length = @parts.sum(&:length)
          end

          def done? = @parts.empty?
          def at_hand = @parts.sum(&:length)
          def drained? = false

          # Whether the next part is ready. It may have to wait for a disk.
          def ready?
            part = @parts.first
            !part.respond_to?(:ready?) || part.ready?
          end

          def on_ready(connection, &block)
            @all.each { |part| part.on_ready(connection, &block) if part.respond_to?(:on_ready) }
          end

          def frames(write_buffer, stream, limit, end_stream)
            move(limit, -> { write_buffer.data_room }) do |part, left|
              part.frames(write_buffer, stream, left, end_stream && @parts.size == 1)
            end
          end

          def raw(write_buffer, limit)
            move(limit, -> { write_buffer.room }) { |part, left| part.raw(write_buffer, left) }
          end

          def close = @all.each(&:close)

          private

          def move(limit, room)
            moved = 0
            until @parts.empty? || moved >= limit || room.call.zero? || !ready?
              step = yield(@parts.first, limit - moved)
              # The write buffer may have room for bytes, but not for more of a file.
              break if step.zero?

              moved += step
              @parts.shift if @parts.first.done?
            end
            moved
          end
        end
      end
    end
  end
end
