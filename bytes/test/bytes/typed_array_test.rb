# frozen_string_literal: true

require "test_helper"
require "spate/bytes"

module Spate
  class TypedArrayTest < Minitest::Test
    CLASSES = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
               BigInt64Array, BigUint64Array, Float16Array, Float32Array, Float64Array].freeze

    CLASSES.each do |type|
      name = type.name.split("::").last
      define_method("test_#{name}_holds_numbers") do
        array = type.new([1, 2, 3])
        assert_equal [1, 2, 3], array.to_a
        assert_equal [3, 3 * type::BYTES_PER_ELEMENT, 0], [array.length, array.byte_length, array.byte_offset]
        array[-1] = 9
        assert_equal [1, 9, nil, nil], [array[0], array[2], array[3], array[-4]]
        assert_raises(IndexError) { array[3] = 1 }
        assert_raises(IndexError) { array[-4] = 1 }
        assert_raises(TypeError) { array[0] = nil }
        assert_equal array, type.new(array)
        assert_equal array, Marshal.load(Marshal.dump(array))
        assert_equal [9, 2, 1], array.reverse.to_a
        assert_equal [1, 2, 9], array.reverse.sort.to_a
        assert_equal [5, 5, 5], array.fill(5).to_a
      end

      define_method("test_#{name}_sorts_by_number") do
        numbers = Array.new(200) { |i| (i * 7919) % 101 }
        assert_equal numbers.sort, type.new(numbers).sort.to_a
        assert_equal numbers.sort.reverse, type.new(numbers).sort { |a, b| b <=> a }.to_a
      end
    end

    def test_wraps_clamps_and_rounds
      assert_equal [44, 255, 0], Uint8Array.new([300, -1, 256]).to_a
      assert_equal [44, -1, -128], Int8Array.new([300, -1, 128]).to_a
      assert_equal [255, 0, 0, 2, 2, 4, 255, 0],
                   Uint8ClampedArray.new([300, -1, 0.5, 1.5, 2.5, 3.5, 2**80, Float::NAN]).to_a
      assert_equal [3.4028234663852886e+38, Float::INFINITY], Float32Array.new([3.4028234663852886e+38, 1e39]).to_a
      assert_raises(TypeError) { BigInt64Array.new([1.5]) }
      assert_raises(TypeError) { BigInt64Array.new(Int8Array.new(1)) }
    end

    def test_array_in_a_buffer
      buffer = ArrayBuffer.new(8)
      words = Uint16Array.new(buffer, 2, 2)
      words[1] = 0x0102
      assert_equal [0x0102].pack("S"), buffer.slice(4, 6).to_s
      assert_equal [2, 2, 4], [words.byte_offset, words.length, words.byte_length]
      assert_same buffer, words.buffer
      assert_raises(RangeError) { Uint16Array.new(buffer, 1) }
      assert_raises(IndexError) { Uint16Array.new(buffer, 2, 4) }
      assert_raises(IndexError) { Uint16Array.new(buffer, 10) }
      assert_raises(RangeError) { Uint16Array.new(ArrayBuffer.new(3)) }
    end

    def test_length_follows_a_resizable_buffer
      buffer = ArrayBuffer.new(5, max_byte_length: 16)
      words = Uint32Array.new(buffer)
      assert_equal 1, words.length
      buffer.resize(16)
      assert_equal 4, words.length
      fixed = Uint32Array.new(buffer, 8, 2)
      buffer.resize(15)
      assert_equal [3, 0, nil, 0], [words.length, fixed.length, fixed[0], fixed.byte_offset]
      assert_raises(TypeError) { fixed.fill(1) }
      assert_raises(TypeError) { fixed[0] = 1 }
    end

    def test_subarray_shares_slice_copies
      array = Int16Array.new([1, 2, 3, 4])
      part = array.subarray(1, -1)
      part[0] = 20
      assert_equal [1, 20, 3, 4], array.to_a
      copy = array.slice(1..2)
      copy[0] = 0
      assert_equal [20, 3], part.to_a
      assert_equal [[20, 3], [3, 4], nil, []], [array[1, 2].to_a, array[-2..].to_a, array[5, 1], array[4, 1].to_a]
    end

    def test_set_moves_overlapping_bytes
      array = Uint8Array.new([1, 2, 3, 4, 5])
      array.set(array.subarray(0, 4), 1)
      assert_equal [1, 1, 2, 3, 4], array.to_a
      array.set([9, 8.7], 3)
      assert_equal [1, 1, 2, 9, 8], array.to_a
      wide = Uint16Array.new(array.buffer, 0, 2)
      low = wide.to_a.map { |number| number & 0xff } # depends on the byte order of the machine
      array.set(wide) # another type with the same bytes: read completely before writing
      assert_equal [*low, 2, 9, 8], array.to_a
      assert_raises(IndexError) { array.set([1, 2], 4) }
      assert_raises(IndexError) { array.set([1], -1) }
    end

    def test_copy_within
      array = Int32Array.new([1, 2, 3, 4, 5])
      assert_equal [4, 5, 3, 4, 5], array.dup.copy_within(0, 3).to_a
      assert_equal [1, 1, 2, 3, 4], array.dup.copyWithin(1, 0, -1).to_a
      assert_equal [1, 2, 3, 4, 5], array.dup.copy_within(9, 0).to_a
    end

    def test_nan_and_zeros
      floats = Float64Array.new([Float::NAN, 0.0, -0.0, -1])
      assert_equal "[-1.0, -0.0, 0.0, NaN]", floats.sort.to_a.inspect
      assert floats.include?(Float::NAN)
      refute_equal Float64Array.new([Float::NAN]), Float64Array.new([Float::NAN])
      assert_equal Float64Array.new([0.0]), Float64Array.new([-0.0])
    end

    def test_enumerable_in_rubys_manner
      array = Uint8Array.of(3, 1, 2)
      assert_equal [6, 3, [1, 2, 3], [[3, 0], [1, 1], [2, 2]]],
                   [array.sum, array.max, array.sort.to_a, array.each_with_index.to_a]
      assert_equal [Uint8Array.new([6, 2, 4]), Uint8Array.new([3])], [array.map { |n| n * 2 }, array.select do |n|
                                                                                                 n > 2
                                                                                               end]
      assert_equal [1, nil, -1, 2], [array.index(1), array.index(7), array.indexOf(7), array.find_index { |n| n == 2 }]
      assert_equal "3,1,2", array.join
      assert_equal 3, array.each.size
      assert_equal Uint8Array.from([3, 1, 2]) { |n| n + 1 }, Uint8Array.of(4, 2, 3)
      assert_equal [3, 9, 2], array.with(1, 9).to_a
    end

    def test_compared_by_type_and_number
      assert_equal Uint8Array.new([1, 2]).hash, Uint8Array.new([1, 2]).hash
      refute_equal Uint8Array.new([1, 2]), Int8Array.new([1, 2])
      assert_equal [-1, 1, nil], [Int8Array.new([-1]) <=> Int8Array.new([1]),
                                  Int8Array.new([1, 2]) <=> Int8Array.new([1]), Int8Array.new(1) <=> Uint8Array.new(1)]
      assert_equal 1, { Uint8Array.new([1]) => 1 }[Uint8Array.new([1])]
    end

    # A block shortens the buffer during the iteration.
    def test_buffer_that_shrinks_during_each
      buffer = ArrayBuffer.new(8, max_byte_length: 8)
      seen = 0
      Uint8Array.new(buffer).each { (seen += 1) && buffer.resize(3) }
      assert_equal 3, seen
      array = Uint8Array.new(ArrayBuffer.new(4, max_byte_length: 4))
      value = Object.new
      value.define_singleton_method(:to_int) { array.buffer.resize(1) && 7 }
      array.fill(value)
      assert_equal [7], array.to_a
    end

    def test_inspect
      assert_equal "#<Spate::Int8Array length=2 [1, -1]>", Int8Array.new([1, 255]).inspect
      assert_match(/length=20 \[(0, ){10}…\]/, Int8Array.new(20).inspect)
    end
  end
end
