# frozen_string_literal: true

module Spate
  module Server
    class Files
      # One byte range: RFC 9110, section 14.1.2.
      module Range
        ONE = /\Abytes=[ \t]*(\d*)-(\d*)[ \t]*\z/

        # [first, length] of a field's value; nil where the whole is to be sent: no field, several ranges, or one that
        # cannot be read; :unsatisfiable.
        def self.of(value, size)
          match = value && ONE.match(value) or return
          first, last = match[1], match[2]
          return if first.empty? && last.empty?
          return suffix(last.to_i, size) if first.empty?

          between(first.to_i, last.empty? ? size - 1 : last.to_i, size)
        end

        def self.suffix(count, size)
          return :unsatisfiable if count.zero? || size.zero?

          count = [count, size].min
          [size - count, count]
        end

        def self.between(first, last, size)
          return if last < first && first < size
          return :unsatisfiable if first >= size

          [first, [last, size - 1].min - first + 1]
        end
        private_class_method :suffix, :between
      end
    end
  end
end
