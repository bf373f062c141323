# frozen_string_literal: true

module Spate
  module RemoteCache
    class Document
      # Protocol Buffers' wire format (protobuf.dev/programming-guides/encoding): fields of a number and a type, which
      # are 0 for a varint, 1 for eight bytes, 2 for a length and as many bytes, 5 for four bytes.
      module Wire
        # Fields of a message at most: an action result has one for each of its files, and a few.
        MOST = 128

        module_function

        # [[number, String or Integer]] in their order. Raises Malformed.
        def fields(bytes)
          raise Malformed, "a number where an action result has a message" unless bytes.is_a?(String)

          bytes = bytes.b
          found = []
          at = 0
          while at < bytes.bytesize
            tag, at = varint(bytes, at)
            raise Malformed, "a field without number in an action result" unless (tag >> 3).between?(1, (1 << 29) - 1)

            value, at = value(bytes, at, tag & 7)
            found << [tag >> 3, value]
            raise Malformed, "an action result with more than #{MOST} fields" if found.size > MOST
          end
          found
        end

        # The last value of each of these numbers; nil where there is none. types: {number => class}. Raises Malformed.
        def values(bytes, types)
          found = fields(bytes).to_h
          types.map do |number, type|
            value = found[number]
            raise Malformed, "field #{number} is of another type" unless value.nil? || value.is_a?(type)

            value
          end
        end

        # Bytes of one field.
        def field(number, value)
          return number_bytes(number << 3) + number_bytes(value) if value.is_a?(Integer)

          number_bytes((number << 3) | 2) + number_bytes(value.bytesize) + value.b
        end

        def number_bytes(number)
          bytes = []
          loop do
            bytes << ((number & 0x7f) | (number > 0x7f ? 0x80 : 0))
            break if (number >>= 7).zero?
          end
          bytes.pack("C*")
        end

        def value(bytes, at, type)
          case type
          when 0 then varint(bytes, at)
          when 1 then piece(bytes, at, 8)
          when 2 then piece(bytes, *varint(bytes, at).reverse)
          when 5 then piece(bytes, at, 4)
          else raise Malformed, "a field of type #{type} in an action result"
          end
        end

        def piece(bytes, at, length)
          raise Malformed, "an action result that ends too early" if length > bytes.bytesize - at

          [bytes.byteslice(at, length), at + length]
        end

        def varint(bytes, at)
          number = 0
          10.times do |index|
            byte = bytes.getbyte(at + index) or raise Malformed, "an action result that ends too early"
            number |= (byte & 0x7f) << (7 * index)
            return [number & 0xffff_ffff_ffff_ffff, at + index + 1] if byte < 0x80
          end
          raise Malformed, "a number of more than ten bytes in an action result"
        end
      end
    end
  end
end
