# frozen_string_literal: true

require "test_helper"
require "spate/bytes"

module Spate
  class DataViewTest < Minitest::Test
    # Type => width, a value, its bytes in big-endian order.
    EXAMPLES = {
      "int8" => [1, -2, "fe"], "uint8" => [1, 254, "fe"], "int16" => [2, -2, "fffe"], "uint16" => [2, 0xcafe, "cafe"],
      "uint24" => [3, 0xabcdef, "abcdef"], "int32" => [4, -2, "fffffffe"], "uint32" => [4, 0xdeadbeef, "deadbeef"],
      "big_int64" => [8, -2, "fffffffffffffffe"], "big_uint64" => [8, 2**64 - 2, "fffffffffffffffe"],
      "int64" => [8, -(2**63), "8000000000000000"], "uint64" => [8, 2**63, "8000000000000000"],
      "float16" => [2, 1.5, "3e00"], "float32" => [4, 1.5, "3fc00000"], "float64" => [8, 1.1, "3ff199999999999a"]
    }.freeze

    def setup
      @view = DataView.new(ArrayBuffer.new(16))
    end

    def test_error_of_new_suggests_the_right_call
      { "abc" => /got String; use ArrayBuffer\.from\(string\).* or ArrayBuffer\.wrap\(string\)/,
        Uint8Array.new(2) => /got Spate::Uint8Array; use its buffer/, 12 => /got Integer; use ArrayBuffer\.new/,
        nil => /got nil\z/, {} => /got Hash\z/ }.each do |given, message|
        error = assert_raises(TypeError) { DataView.new(given) }
        assert_match(/\ADataView\.new expects an ArrayBuffer, #{message}/, error.message)
      end
      assert_equal 97, DataView.new(ArrayBuffer.from("abc")).get_uint8(0)
      assert_equal 97, DataView.new(ArrayBuffer.wrap("abc")).get_uint8(0)
    end

    def bytes(from, count) = @view.get_bytes(from, count).unpack1("H*")

    EXAMPLES.each do |type, (width, value, hex)|
      define_method("test_#{type}_in_both_orders") do
        little = [hex].pack("H*").reverse.unpack1("H*")
        assert_nil @view.public_send("set_#{type}", 1, value)
        assert_equal [hex, value], [bytes(1, width), @view.public_send("get_#{type}", 1)]
        next if width == 1

        @view.public_send("set_#{type}", 2, value, little_endian: true)
        assert_equal [little, value], [bytes(2, width), @view.public_send("get_#{type}", 2, little_endian: true)]
        @view.public_send("set_#{type}_le", 3, value)
        assert_equal [little, value], [bytes(3, width), @view.public_send("get_#{type}_le", 3)]
        @view.public_send("set_#{type}_be", 5, value)
        assert_equal [hex, value], [bytes(5, width), @view.public_send("get_#{type}_be", 5)]
      end

      define_method("test_#{type}_at_the_edges") do
        @view.public_send("set_#{type}", 16 - width, value)
        [17 - width, 16, 2**40, 2**80].each do |outside|
          assert_raises(IndexError) { @view.public_send("get_#{type}", outside) }
          assert_raises(IndexError) { @view.public_send("set_#{type}", outside, value) }
        end
        assert_raises(IndexError) { @view.public_send("get_#{type}", -1) }
        assert_raises(TypeError) { @view.public_send("get_#{type}", nil) }
        assert_raises(TypeError) { @view.public_send("set_#{type}", 0, nil) }
        assert_raises(TypeError) { @view.public_send("set_#{type}", 0, "1") }
        assert_equal value, @view.public_send("get_#{type}", 16 - width)
      end
    end

    def test_javascripts_spelling
      @view.setUint32(0, 0x01020304)
      @view.setUint32(4, 0x01020304, true)
      @view.setInt16(8, -2, little_endian: true)
      assert_equal "0102030404030201feff", bytes(0, 10)
      assert_equal [0x01020304, 0x04030201, -2], [@view.getUint32(0), @view.getUint32(0, true), @view.getInt16(8, true)]
      assert_raises(ArgumentError) { @view.getUint32(0, big_endian: true) }
      assert_raises(ArgumentError) { @view.getUint32 }
      assert_equal 16, @view.byteLength
    end

    def test_messages_name_index_width_and_length
      error = assert_raises(IndexError) { @view.get_uint32(13) }
      assert_equal "byte_offset 13 is out of bounds: 4 bytes wide, the length is 16", error.message
    end

    # ECMA-262 25.3.1.6: the index is converted first, then the value. Then the range is checked.
    def test_the_order_of_conversions
      order = []
      index = Object.new
      index.define_singleton_method(:to_int) { order << :index and 99 }
      value = Object.new
      value.define_singleton_method(:to_int) { order << :value and 1 }
      assert_raises(IndexError) { @view.set_uint16_be(index, value) }
      assert_equal %i[index value], order
      assert_raises(IndexError) { @view.set_uint16_be(-1, Object.new) }
      assert_raises(TypeError) { @view.set_uint16_be(99, Object.new) }
    end

    def test_a_conversion_that_detaches_the_buffer
      buffer = @view.buffer
      value = Object.new
      value.define_singleton_method(:to_int) { buffer.transfer && 1 }
      assert_match(/detached/, assert_raises(TypeError) { @view.set_uint32_be(0, value) }.message)
      assert_raises(TypeError) { @view.get_uint8(0) }
      assert_raises(TypeError) { @view.byte_length }
    end

    def test_a_conversion_that_shrinks_the_buffer
      buffer = ArrayBuffer.new(8, max_byte_length: 8)
      view = DataView.new(buffer)
      value = Object.new
      value.define_singleton_method(:to_int) { buffer.resize(2) && 1 }
      assert_raises(IndexError) { view.set_uint32_be(0, value) }
    end

    def test_integers_wrap_and_floats_are_cut
      { 300 => 44, -1 => 255, 3.9 => 3, -3.9 => 253, 2**64 + 5 => 5, -(2**70) - 1 => 255, 1e30 => 0,
        Float::NAN => 0, Float::INFINITY => 0, 257r => 1 }.each do |given, kept|
        @view.set_uint8(0, given)
        assert_equal kept, @view.get_uint8(0), given.to_s
      end
      @view.set_uint32(0, -1.0)
      assert_equal 2**32 - 1, @view.get_uint32(0)
      @view.set_uint32(0, 2.0**53 + 2)
      assert_equal 2, @view.get_uint32(0)
    end

    def test_big_integers_take_no_floats
      assert_match(/BigInt/, assert_raises(TypeError) { @view.set_big_uint64(0, 1.0) }.message)
      @view.set_big_int64(0, 2**63)
      assert_equal(-(2**63), @view.get_big_int64(0))
      @view.set_big_uint64(0, -1)
      assert_equal 2**64 - 1, @view.get_big_uint64(0)
    end

    def test_a_window_of_a_buffer
      buffer = ArrayBuffer.from("abcdef")
      view = DataView.new(buffer, 2, 3)
      assert_equal [2, 3, "cde"], [view.byte_offset, view.byte_length, view.to_s]
      assert_equal 4, DataView.new(buffer, 2).byte_length
      assert_equal 0, DataView.new(buffer, 6).byte_length
      assert_raises(IndexError) { DataView.new(buffer, 7) }
      assert_raises(IndexError) { DataView.new(buffer, 2, 5) }
      assert_raises(IndexError) { DataView.new(buffer, -1) }
      assert_raises(TypeError) { DataView.new("abc") }
      assert_raises(IndexError) { view.get_uint8(3) }
    end

    def test_a_view_follows_a_resizable_buffer
      buffer = ArrayBuffer.new(4, max_byte_length: 8)
      following = DataView.new(buffer, 2)
      fixed = DataView.new(buffer, 0, 4)
      buffer.resize(8)
      assert_equal [6, 4], [following.byte_length, fixed.byte_length]
      buffer.resize(3)
      assert_equal 1, following.byte_length
      assert_match(/begins at 0 with 4 bytes, but its ArrayBuffer has 3/,
                   assert_raises(TypeError) { fixed.get_uint8(0) }.message)
      buffer.resize(1)
      assert_raises(TypeError) { following.byte_length }
      buffer.resize(4)
      assert_equal 0, fixed.get_uint8(0)
    end

    def test_set_bytes_accepts_any_source
      assert_equal 3, @view.set_bytes(0, "abc")
      @view.set_bytes(3, ArrayBuffer.from("de"))
      @view.set_bytes(5, Uint8Array.new([102]))
      assert_equal "abcdef", @view.get_bytes(0, 6)
      assert_raises(IndexError) { @view.set_bytes(1, @view) }
      @view.set_bytes(2, DataView.new(@view.buffer, 0, 6)) # overlapping bytes are copied correctly
      assert_equal "ababcdef", @view.get_bytes(0, 8)
      assert_raises(TypeError) { @view.set_bytes(0, 5) }
      assert_raises(IndexError) { @view.get_bytes(15, 2) }
    end

    def test_small_numbers_allocate_no_object
      view = @view
      allocated = lambda do |&work|
        work.call
        before = GC.stat(:total_allocated_objects)
        1000.times(&work)
        GC.stat(:total_allocated_objects) - before
      end
      assert_operator allocated.call { view.set_uint32(0, 7, little_endian: true) }, :<, 10
      assert_operator allocated.call { view.get_uint32(0, little_endian: true) }, :<, 10
      assert_operator allocated.call { view.set_float64_be(0, 1.5) && view.get_float64_be(0) }, :<, 10
    end
  end
end
