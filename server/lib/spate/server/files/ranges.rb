# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Byte ranges: RFC 9110, section 14.1.2.
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

        FIELD = /\Abytes=(.*)\z/mi
        ONE = /\A[ \t]*(\d*)-(\d*)[ \t]*\z/
        # A field with more than MOST ranges or LONGEST bytes is treated as an attack (section 17.15), and the whole
        # file is sent.
        MOST = 32
        LONGEST = 1024
        # Ranges are joined if the gap between them is smaller than the header of a part.
        GAP = 128

        module_function

        # Returns [[first, length], ...]. Returns nil if the whole file is to be sent: the field is missing or
        # malformed, or its unit is unknown. Returns :unsatisfiable if every range is outside of the file.
        def of(value, size)
          match = value && value.bytesize <= LONGEST && FIELD.match(value.b) or return
          items = match[1].split(",", -1).reject { |item| item.match?(/\A[ \t]*\z/) }
          return if items.empty? || items.size > MOST

          ranges = items.map { |item| one(item, size) }
          return if ranges.include?(nil)

          ranges.reject! { |range| range == :unsatisfiable }
          ranges.empty? ? :unsatisfiable : coalesce(ranges)
        end

        # Parses one range. Returns nil for a malformed item.
        def one(item, size)
          match = ONE.match(item) or return
          first, last = match[1], match[2]
          return if first.empty? && last.empty?
          return suffix(last.to_i, size) if first.empty?

          between(first.to_i, last.empty? ? nil : last.to_i, size)
        end

        def suffix(count, size)
          return :unsatisfiable if count.zero? || size.zero?

          count = [count, size].min
          [size - count, count]
        end

        def between(first, last, size)
          return if last && last < first
          return :unsatisfiable if first >= size

          [first, [last || size - 1, size - 1].min - first + 1]
        end

        # Joins ranges that overlap or nearly touch, in the file's order. If none do, the requested order is kept.
        def coalesce(ranges)
          merged = ranges.sort.each_with_object([]) do |(first, length), found|
            last = found.last
            next found << [first, length] if last.nil? || first > last[0] + last[1] + GAP

            last[1] = [last[1], first + length - last[0]].max
          end
          merged.size == ranges.size ? ranges : merged
        end
        private_class_method :one, :suffix, :between, :coalesce
      end
    end
  end
end
