# frozen_string_literal: true

require "test_helper"
require "spate/bytes"

module Spate
  # Each accessor of DataView and of the typed arrays has a fast path for common arguments. These tests pass uncommon
  # arguments to each.
  class BytesEdgesTest < Minitest::Test
    ARRAYS = %w[Int8 Uint8 Uint8Clamped Int16 Uint16 Int32 Uint32 BigInt64 BigUint64 Float16 Float32 Float64]
             .map { |name| Spate.const_get("#{name}Array") }.freeze
    WIDTHS = { /8\z/ => 1, /16\z/ => 2, /24\z/ => 3, /32\z/ => 4, /64\z/ => 8 }.freeze
    TYPES = %w[int8 uint8 int16 uint16 uint24 int32 uint32 big_int64 big_uint64 float16 float32 float64].freeze
    BEYOND = [2**61, 2**62 - 1, 2**62, 2**63 - 1, 2**64, Float::INFINITY, 1e300].freeze
    BEFORE = [-1, -2**62, -2**64].freeze

    def test_offsets_outside
      each_accessor(DataView.new(ArrayBuffer.new(16))) do |width, access|
        assert_nil access.call(16 - width)
        [17 - width, 16, *BEYOND, *BEFORE].each { |offset| assert_raises(IndexError) { access.call(offset) } }
        assert_nil access.call(0.9)
      end
    end

    def test_a_detached_buffer
      buffer = ArrayBuffer.new(16)
      view = DataView.new(buffer)
      buffer.transfer
      each_accessor(view) { |_, access| assert_match(/detached/, assert_raises(TypeError) { access.call(0) }.message) }
    end

    def test_shrunk_buffer
      buffer = ArrayBuffer.new(16, max_byte_length: 32)
      view = DataView.new(buffer, 4, 12)
      buffer.resize(15)
      each_accessor(view) { |_, access| assert_raises(TypeError) { access.call(0) } }
      buffer.resize(16)
      each_accessor(view) { |width, access| assert_nil access.call(12 - width) }
    end

    def test_view_of_a_resizable_buffer
      buffer = ArrayBuffer.new(16, max_byte_length: 32)
      view = DataView.new(buffer)
      buffer.resize(9)
      each_accessor(view) do |width, access|
        assert_nil access.call(9 - width)
        assert_raises(IndexError) { access.call(10 - width) }
      end
    end

    def test_arrays_of_resizable_buffers
      ARRAYS.each do |type|
        buffer = ArrayBuffer.new(16, max_byte_length: 64)
        array = type.new(buffer)
        last = array.length - 1
        buffer.resize(15)
        assert_equal [0, nil], [array[0], array[last]], type
        assert_raises(IndexError, type) { array[last] = 1 }
        buffer.resize(24)
        array[last + 1] = 1
        assert_equal 1, array[last + 1], type
      end
    end

    def test_uninitialized_view
      each_accessor(DataView.allocate) { |_, access| assert_raises(TypeError) { access.call(0) } }
    end

    def test_frozen_views_can_be_read_but_not_written
      [DataView.new(ArrayBuffer.new(16)).freeze, DataView.new(ArrayBuffer.new(16).freeze)].each do |view|
        TYPES.each do |type|
          setters(type).each { |name| assert_raises(FrozenError, name) { view.public_send(name, 0, 1) } }
          getters(type).each { |name| assert_equal 0, view.public_send(name, 0), name }
        end
      end
    end

    def test_elements_outside
      ARRAYS.each do |type|
        array = type.new([1, 2, 3])
        assert_equal [3, 3, 3, nil, nil], [array[2], array[-1], array.at(-1), array[3], array.at(-4)]
        array[-3] = 9
        assert_equal [9, 2, 3], array.to_a
        [3, -4, *BEYOND.grep(Integer)].each do |index|
          assert_nil array[index], type
          assert_raises(IndexError, type) { array[index] = 1 }
        end
      end
    end

    def test_arrays_whose_buffer_changes
      ARRAYS.each do |type|
        buffer = ArrayBuffer.new(32, max_byte_length: 64)
        fixed = type.new(buffer, 8, 2)
        following = type.new(buffer, 8)
        last = following.length - 1
        following[last] = 5
        assert_equal [5, nil], [following[last], following[last + 1]], type
        buffer.resize(8 + fixed.byte_length - 1)
        assert_nil fixed[0], type
        assert_raises(TypeError, type) { fixed[0] = 1 }
        buffer.transfer
        assert_nil following.at(0), type
        assert_raises(TypeError, type) { following[0] = 1 }
      end
    end

    def test_frozen_arrays
      ARRAYS.each do |type|
        [type.new(2).freeze, type.new(ArrayBuffer.new(16).freeze)].each do |array|
          assert_raises(FrozenError, type) { array[0] = 1 }
          assert_equal [0, 0], [array[0], array.at(1)], type
        end
        assert_raises(TypeError, type) { type.allocate[0] = 1 }
        assert_nil type.allocate[0], type
      end
    end

    def test_numbers_that_are_not_small_integers
      ARRAYS.each do |type|
        array = type.new(1)
        ["1", nil, Object.new].each { |value| assert_raises(TypeError, type) { array[0] = value } }
        array[0] = 256
        assert_equal({ "Int8" => 0, "Uint8" => 0, "Uint8Clamped" => 255 }.fetch(type.name[/(\w+)Array\z/, 1], 256),
                     array[0])
        array[0] = 2**70
        expected = { "Uint8Clamped" => 255, "Float16" => Float::INFINITY, "Float32" => 2.0**70, "Float64" => 2.0**70 }
        assert_equal expected.fetch(type.name[/(\w+)Array\z/, 1], 0), array[0], type
      end
    end

    # Near 1e-77 and 1e77 a Float becomes a heap object.
    def test_floats_near_the_limits_of_immediate_values
      view = DataView.new(ArrayBuffer.new(8))
      edges = [0.0, 1.0, 1.7272337110188893e-77, 1.1579208923731618e+77, Float::MIN, Float::MAX, Float::INFINITY]
      edges = edges.flat_map { |value| [value, value.next_float, value.prev_float] }
      (edges + edges.map(&:-@) + Array.new(2000) { |i| 1.1**(i - 1000) }).each do |value|
        next if value.nan?

        view.set_float64(0, value)
        assert_equal [value].pack("G"), view.to_s, value
        assert_equal value, view.get_float64(0)
      end
    end

    def test_numbers_too_large_for_a_half
      view = DataView.new(ArrayBuffer.new(2))
      { 65_519.99 => 0x7bff, 65_520.0 => 0x7c00, 65_536.0 => 0x7c00, -131_008.0 => 0xfc00, 1e300 => 0x7c00,
        5e-324 => 0, -1e-10 => 0x8000, Float::NAN => 0x7e00 }.each do |value, expected|
        view.set_float16_be(0, value)
        assert_equal expected, view.get_uint16(0), value
      end
    end

    # All 65,536 half floats, and the numbers just below and above the middle between two of them.
    def test_halves
      view = DataView.new(ArrayBuffer.new(2))
      31_744.times do |bits|
        low, high = [bits, bits + 1].map { |half| half_of(half) }
        { low => bits, low.next_float => bits, (low + high) / 2 => bits + (bits & 1), high.prev_float => bits + 1,
          ((low + high) / 2).prev_float => bits, ((low + high) / 2).next_float => bits + 1 }.each do |value, expected|
          view.set_float16(0, value)
          assert_equal expected, view.get_uint16(0), value
        end
        view.set_uint16(0, bits | 0x8000)
        assert_equal [-low].pack("G"), [view.get_float16(0)].pack("G")
      end
    end

    private

    def half_of(bits)
      exponent = bits >> 10
      exponent.zero? ? bits * 2.0**-24 : (1024 + (bits & 1023)) * 2.0**(exponent - 25)
    end

    def getters(type)
      ["get_#{type}_be", "get_#{type}_le", "get_#{type}"].select { |name| DataView.method_defined?(name) }
    end

    def setters(type) = getters(type).map { |name| name.sub("get", "set") }

    # Yields the width of a type and a lambda that reads or writes at an offset. The lambda returns nil on success.
    def each_accessor(view)
      TYPES.each do |type|
        width = WIDTHS.find { |pattern, _| type.match?(pattern) }.last
        getters(type).each { |name| yield width, ->(offset) { view.public_send(name, offset) && nil } }
        setters(type).each { |name| yield width, ->(offset) { view.public_send(name, offset, 1) } }
        javascript = type.split("_").map(&:capitalize).join
        next if type == "uint24"

        yield width, ->(offset) { view.public_send("get#{javascript}", offset, true) && nil }
        yield width, ->(offset) { view.public_send("set#{javascript}", offset, 1, true) }
      end
    end
  end
end
