# frozen_string_literal: true

require "test_helper"
require "spate/bytes"

module Spate
  class WireTest < Minitest::Test
    HEADER = ["0004d2000100000001"].pack("H*")

    def test_a_frame_in_one_call
      buffer = ArrayBuffer.new(2000)
      assert_equal 5 + 9 + 1234, Wire.write_frame(buffer, 5, 0, 1, 1, "x" * 1234)
      assert_equal HEADER + "x" * 1234, buffer.slice(5, 5 + 9 + 1234).to_s
      assert_equal HEADER + "x" * 1234, Wire.frame(0, 1, 1, "x" * 1234)
      assert_equal [1234, 0, 1, 1], Wire.read_frame_header(buffer, 5, [])
      assert_equal 9, Wire.write_frame(DataView.new(buffer, 1), 0, 4, 0, 0, nil)
      assert_equal [0, 4, 0, 0], Wire.read_frame_header(buffer.to_s, 1, fields = [9, 9, 9, 9])
      assert_equal [0, 4, 0, 0], fields
      assert_equal 11, Wire.write_frame_header(buffer, 2, 77, 9, 255, 2**31 - 1)
      assert_equal [77, 9, 255, 2**31 - 1], Wire.read_frame_header(buffer, 2, fields)
    end

    # The payload was read directly to its position after the header, as for files. write_frame adds only the header.
    def test_header_before_an_existing_payload
      buffer = ArrayBuffer.from("012345678payload")
      assert_equal 16, Wire.write_frame(buffer, 0, 0, 0, 3, Uint8Array.new(buffer, 9))
      assert_equal "\0\0\x07\0\0\0\0\0\x03payload", buffer.to_s
    end

    def test_rejects_frames_that_do_not_fit
      buffer = ArrayBuffer.new(20)
      assert_raises(IndexError) { Wire.write_frame(buffer, 0, 0, 0, 1, "x" * 12) }
      assert_equal "\0" * 20, buffer.to_s
      assert_raises(IndexError) { Wire.write_frame(buffer, -1, 0, 0, 1, "") }
      assert_raises(IndexError) { Wire.read_frame_header(buffer, 12, []) }
      [[256, 0, 1], [0, 256, 1], [0, 0, 2**31], [-1, 0, 1]].each do |type, flags, stream|
        assert_raises(RangeError) { Wire.write_frame(buffer, 0, type, flags, stream, "") }
      end
      assert_raises(RangeError) { Wire.frame(0, 0, 1, "x" * (2**24)) }
      assert_raises(TypeError) { Wire.frame(0, 0, 1, 5) }
      assert_raises(FrozenError) { Wire.write_frame(buffer.dup.freeze, 0, 0, 0, 1, "") }
      assert_raises(TypeError) { Wire.write_frame("a String", 0, 0, 0, 1, "") }
    end

    def test_no_object_is_allocated
      buffer = ArrayBuffer.new(20_000)
      payload = "x" * 16_384
      fields = [0, 0, 0, 0]
      work = -> { Wire.write_frame(buffer, 0, 0, 0, 1, payload) && Wire.read_frame_header(buffer, 0, fields) }
      work.call
      before = GC.stat(:total_allocated_objects)
      1000.times { work.call }
      assert_operator GC.stat(:total_allocated_objects) - before, :<, 10
    end
  end
end
