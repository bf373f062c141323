# frozen_string_literal: true

module Spate
  # Numbers of any width at any offset of a buffer, in either byte order; big-endian by default.
  # ECMA-262 section 25.3. Offsets are bytes from the view's beginning.
  #
  # Three forms: the readable `get_uint32(0, little_endian: true)`, the fast `get_uint32_le(0)` and `get_uint32_be(0)`,
  # and JavaScript's `getUint32(0, true)`. Integers wrap around as in JavaScript; setters return nil.
  #
  # Methods raise IndexError outside the view, TypeError for anything except a number or if the buffer is detached, and
  # FrozenError if view or buffer is frozen.
  class DataView
    # @!method get_uint32(byte_offset, little_endian: false)
    #   Reads a number. The same for the other TYPES: `get_int16`, `get_float64`, and so on.
    #   @param byte_offset [Integer]
    #   @param little_endian [Boolean]
    #   @return [Integer, Float]
    #   @raise [IndexError, TypeError]
    # @!method set_uint32(byte_offset, value, little_endian: false)
    #   Writes a number, modulo its width. The same for the other TYPES.
    #   @param byte_offset [Integer]
    #   @param value [Numeric]
    #   @param little_endian [Boolean]
    #   @return [nil]
    #   @raise [IndexError, TypeError, FrozenError]

    # Types wider than a byte, as spelled in method names.
    TYPES = %w[int16 uint16 uint24 int32 uint32 big_int64 big_uint64 float16 float32 float64].freeze

    TYPES.each do |type|
      # The getter returns the number at a byte offset, the setter nil; docs/bytes.md has the cost of each form.
      class_eval <<~RUBY, __FILE__, __LINE__ + 1
        def get_#{type}(byte_offset, little_endian: false) # def get_uint32(byte_offset, little_endian: false)
          little_endian ? get_#{type}_le(byte_offset) : get_#{type}_be(byte_offset)
        end

        def set_#{type}(byte_offset, value, little_endian: false)
          little_endian ? set_#{type}_le(byte_offset, value) : set_#{type}_be(byte_offset, value)
        end
      RUBY
    end

    { "int64" => "big_int64", "uint64" => "big_uint64" }.each do |short, long|
      ["", "_be", "_le"].each do |order|
        alias_method "get_#{short}#{order}", "get_#{long}#{order}"
        alias_method "set_#{short}#{order}", "set_#{long}#{order}"
      end
    end
  end
end
