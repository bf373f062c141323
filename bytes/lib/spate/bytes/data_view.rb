# frozen_string_literal: true

module Spate
  # Reads and writes numbers of any width at any offset of a buffer, in either byte order; big-endian by default.
  # ECMA-262 section 25.3. Offsets are in bytes from the view's start.
  #
  # Each accessor has three forms: the readable `get_uint32(0, little_endian: true)`, the fast `get_uint32_le(0)` and
  # `get_uint32_be(0)`, and JavaScript's `getUint32(0, true)`. Integers wrap around as in JavaScript; setters return
  # nil.
  #
  # Methods raise IndexError for an offset outside the view, TypeError for a value that is not a number or a detached
  # buffer, and FrozenError for a frozen view or buffer.
  class DataView
    # @!method get_uint32(byte_offset, little_endian: false)
    #   Reads a number. Each of TYPES has such a method: `get_int16`, `get_float64` and so on.
    #   @param byte_offset [Integer]
    #   @param little_endian [Boolean]
    #   @return [Integer, Float]
    #   @raise [IndexError, TypeError]
    # @!method set_uint32(byte_offset, value, little_endian: false)
    #   Writes a number, modulo its width. Each of TYPES has such a method.
    #   @param byte_offset [Integer]
    #   @param value [Numeric]
    #   @param little_endian [Boolean]
    #   @return [nil]
    #   @raise [IndexError, TypeError, FrozenError]

    # Types wider than a byte, as spelled in method names.
    TYPES = %w[int16 uint16 uint24 int32 uint32 big_int64 big_uint64 float16 float32 float64].freeze

    TYPES.each do |type|
      # Getters return a number, setters return nil. The cost of each form is in docs/bytes.md.
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
