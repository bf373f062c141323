# frozen_string_literal: true

require "test_helper"
require "spate/bytes"

module Spate
  class ArrayBufferTest < Minitest::Test
    def test_begins_with_zeros
      buffer = ArrayBuffer.new(5)
      assert_equal [5, 5, false, false],
                   [buffer.byte_length, buffer.max_byte_length, buffer.resizable?, buffer.detached?]
      assert_equal "\0" * 5, buffer.to_s
      assert_equal Encoding::BINARY, buffer.to_s.encoding
      assert_equal 0, ArrayBuffer.new.byte_length
    end

    def test_impossible_lengths
      assert_match(/byte_length -1 is negative/, assert_raises(IndexError) { ArrayBuffer.new(-1) }.message)
      assert_raises(IndexError) { ArrayBuffer.new(-(2**70)) }
      assert_raises(RangeError) { ArrayBuffer.new(2**70) }
      assert_raises(RangeError) { ArrayBuffer.new(2**48) }
      assert_equal "the length is too large: at most #{2**47}",
                   assert_raises(RangeError) { ArrayBuffer.new(2**62) }.message
      assert_raises(TypeError) { ArrayBuffer.new("8") }
      assert_raises(RangeError) { ArrayBuffer.new(9, max_byte_length: 8) }
      assert_raises(ArgumentError) { ArrayBuffer.new(9, maximum: 8) }
      assert_equal 2, ArrayBuffer.new(2.9).byte_length
    end

    def test_grows_and_shrinks_with_zeros
      buffer = ArrayBuffer.new(2, max_byte_length: 1000)
      view = Uint8Array.new(buffer)
      view.fill(7)
      buffer.resize(1000)
      assert_equal [7, 7] + [0] * 998, view.to_a
      view.fill(9)
      buffer.resize(1).resize(3)
      assert_equal [9, 0, 0], view.to_a
      assert_raises(RangeError) { buffer.resize(1001) }
      assert_raises(TypeError) { ArrayBuffer.new(2).resize(1) }
    end

    def test_slices_as_javascript_and_as_ruby
      buffer = ArrayBuffer.from("abcdef")
      assert_equal "cdef", buffer.slice(2).to_s
      assert_equal "de", buffer.slice(-3, -1).to_s
      assert_equal "", buffer.slice(4, 2).to_s
      assert_equal "bcd", buffer.slice(1..3).to_s
      assert_equal "f", buffer.slice(-1..).to_s
      assert_predicate buffer.slice_to_immutable(1), :frozen?
    end

    def test_transfer_detaches_the_buffer
      buffer = ArrayBuffer.from("abcdef")
      view = Uint8Array.new(buffer)
      moved = buffer.transfer
      assert_equal "abcdef", moved.to_s
      assert buffer.detached?
      assert_equal [0, 0, 0, nil], [buffer.byte_length, view.length, view.byte_offset, view[0]]
      assert_match(/detached/, assert_raises(TypeError) { DataView.new(buffer) }.message)
      assert_raises(TypeError) { buffer.transfer }
      assert_raises(TypeError) { buffer.to_s }
      assert_equal "abc", moved.transfer(3).to_s
    end

    def test_longer_transfer_is_padded_with_zeros
      assert_equal "ab\0\0".b, ArrayBuffer.from("ab").transfer(4).to_s
      assert_equal "", ArrayBuffer.from("ab").transfer(0).to_s
      resizable = ArrayBuffer.new(2, max_byte_length: 9)
      assert_predicate resizable.transfer, :resizable?
      refute_predicate ArrayBuffer.new(2, max_byte_length: 9).transfer_to_fixed_length, :resizable?
      assert_predicate ArrayBuffer.new(2).transfer_to_immutable, :immutable?
      assert_raises(RangeError) { ArrayBuffer.new(2, max_byte_length: 9).transfer(10) }
    end

    def test_frozen_is_immutable_and_shareable
      buffer = ArrayBuffer.from("ab").freeze
      view = DataView.new(buffer)
      error = assert_raises(FrozenError) { view.set_uint8(0, 1) }
      assert_match(/can't modify frozen Spate::ArrayBuffer/, error.message)
      assert_raises(FrozenError) { Uint8Array.new(buffer)[0] = 1 }
      assert_raises(FrozenError) { buffer.transfer }
      assert_raises(FrozenError) { ArrayBuffer.new(1, max_byte_length: 2).freeze.resize(2) }
      assert Ractor.shareable?(buffer)
      refute Ractor.shareable?(DataView.new(ArrayBuffer.new(1)).freeze)
      assert Ractor.shareable?(Ractor.make_shareable(Uint8Array.new(2)))
    end

    def test_a_frozen_string_is_wrapped_without_a_copy
      string = ("x" * 100_000).freeze
      buffer = ArrayBuffer.wrap(string)
      assert_predicate buffer, :frozen?
      assert_same string, buffer.to_str
      changing = +"abc"
      wrapped = ArrayBuffer.wrap(changing)
      changing << "d" * 1000
      changing.setbyte(0, 90)
      GC.start
      assert_equal "abc", wrapped.to_s
    end

    def test_made_from_many_things
      assert_equal "\1\2\xFF".b, ArrayBuffer.from([1, 258, -1]).to_s
      assert_equal "bc", ArrayBuffer.from(DataView.new(ArrayBuffer.from("abcd"), 1, 2)).to_s
      other = ArrayBuffer.from("abc")
      copy = ArrayBuffer.from(other)
      Uint8Array.new(copy)[0] = 90
      assert_equal "abc", other.to_s
      assert_raises(TypeError) { ArrayBuffer.from(Object.new) }
    end

    def test_copies_are_independent
      buffer = ArrayBuffer.new(2, max_byte_length: 4)
      copy = buffer.dup
      Uint8Array.new(copy)[0] = 1
      assert_equal "\0\0", buffer.to_s
      assert_equal 4, copy.max_byte_length
      assert_predicate buffer.freeze.clone, :frozen?
      refute_predicate buffer.dup, :frozen?
    end

    def test_compared_by_bytes
      a = ArrayBuffer.from("ab")
      assert_equal a, ArrayBuffer.from("ab")
      assert_equal a.hash, ArrayBuffer.from("ab").hash
      refute_equal a, ArrayBuffer.from("ac")
      refute_equal a, "ab"
      assert_equal [-1, 0, 1, -1], [ArrayBuffer.from("aa"), a, ArrayBuffer.from("b"), ArrayBuffer.new].map { |b|
                                     b <=> a
                                   }
      assert_nil a <=> "ab"
    end

    def test_marshalled
      [ArrayBuffer.from("ab\0"), ArrayBuffer.new(3, max_byte_length: 7)].each do |buffer|
        copy = Marshal.load(Marshal.dump(buffer))
        assert_equal [buffer, buffer.max_byte_length], [copy, copy.max_byte_length]
      end
      assert_raises(TypeError) { ArrayBuffer.allocate.marshal_load([1, 2]) }
      assert_raises(TypeError) { ArrayBuffer.new(1).marshal_load(["ab", nil]) }
    end

    def test_initialized_once
      assert_raises(TypeError) { ArrayBuffer.new(3).send(:initialize, 5) }
      view = DataView.new(ArrayBuffer.new(3))
      assert_raises(TypeError) { view.send(:initialize, ArrayBuffer.new(1)) }
      assert_raises(TypeError) { view.send(:initialize_copy, DataView.new(ArrayBuffer.new(1))) }
      assert_raises(TypeError) { DataView.allocate.get_uint8(0) }
      assert_raises(TypeError) { DataView.allocate.byte_length }
      assert_equal 0, ArrayBuffer.allocate.byte_length
      assert_raises(TypeError) { TypedArray.new(3) }
      assert_raises(TypeError) { TypedArray.allocate.length }
    end

    def test_inspect_is_a_short_hex_dump
      assert_equal "#<Spate::ArrayBuffer byte_length=3 <61 62 00>>", ArrayBuffer.from("ab\0").inspect
      assert_equal "#<Spate::ArrayBuffer byte_length=0 <>>", ArrayBuffer.new.inspect
      assert_match(/byte_length=20 <(00 ){16}…>/, ArrayBuffer.new(20).inspect)
    end

    def test_view_predicate
      assert ArrayBuffer.view?(DataView.new(ArrayBuffer.new(1)))
      assert ArrayBuffer.isView(Int8Array.new(1))
      refute ArrayBuffer.view?(ArrayBuffer.new(1))
    end

    # Converting an argument may change the buffer.
    def test_slice_of_a_buffer_that_shrinks_during_the_call
      buffer = ArrayBuffer.new(8, max_byte_length: 8)
      nasty = Object.new
      nasty.define_singleton_method(:to_int) { buffer.resize(2) && 1 }
      assert_equal "\0" * 7, buffer.slice(nasty).to_s
    end
  end
end
