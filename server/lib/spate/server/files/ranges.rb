# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Byte ranges: RFC 9110, section 14.1.2.
      module Ranges
        autoload :Multipart, "spate/server/files/ranges/multipart"

        FIELD = /\Abytes=(.*)\z/mi
        ONE = /\A[ \t]*(\d*)-(\d*)[ \t]*\z/
        # More ranges, or a longer field, are treated as an attack (section 17.15). In that case the whole file is sent.
        MOST = 32
        LONGEST = 1024
        # Ranges are joined when the gap between them is smaller than a part's fields.
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
