# frozen_string_literal: true

require "test_helper"
require "spate/bytes"
require "stringio"

module Spate
  class BitsTest < Minitest::Test
    # A slow reference implementation: returns the fields as a String of binary digits.
    def digits(fields, order)
      fields.map do |value, width|
        format("%0#{width}b", value).then do |text|
          order == :big ? text : text.reverse
        end
      end.join
    end

    def packed(text, order)
      text += "0" * (-text.length % 8)
      order == :big ? [text].pack("B*") : [text].pack("b*")
    end

    def random_fields(random)
      Array.new(random.rand(1..60)) do
        width = random.rand(1..64)
        [random.rand(2**width), width]
      end
    end

    %i[big little].each do |order|
      define_method("test_random_fields_#{order}") do
        random = Random.new(1)
        200.times do
          fields = random_fields(random)
          writer = BitWriter.new(order: order)
          fields.each { |value, width| writer.write(value, width) }
          assert_equal packed(digits(fields, order), order), writer.to_s
          sources(writer.to_s).each do |source|
            reader = BitReader.new(source, order: order)
            assert_equal(fields.map(&:first), fields.map { |_, width| reader.read(width) })
          end
        end
      end

      define_method("test_signed_fields_#{order}") do
        writer = BitWriter.new(order: order)
        numbers = [-1, 0, -(2**63), 2**63 - 1, -5, 15, -16]
        widths = [1, 7, 64, 64, 9, 5, 5]
        numbers.zip(widths) { |number, width| writer.write_signed(number, width) }
        reader = BitReader.new(writer.to_buffer, order: order)
        assert_equal(numbers, widths.map { |width| reader.read_signed(width) })
      end
    end

    def sources(bytes)
      buffer = ArrayBuffer.from("\xFF".b + bytes + "\xFF".b)
      [bytes, ArrayBuffer.from(bytes), DataView.new(buffer, 1, bytes.bytesize), StringIO.new(bytes)]
    end

    def test_many_fields_at_once
      random = Random.new(2)
      %i[big little].product([1, 5, 8, 13, 57, 58, 64]).each do |order, width|
        numbers = Array.new(50) { random.rand(2**width) }
        one_by_one = BitWriter.new(order: order).write(5, 3)
        numbers.each { |number| one_by_one.write(number, width) }
        target = ArrayBuffer.from([0xff] * 410)
        BitWriter.new(target, order: order).write(5, 3).write_all(numbers, width)
        written = 3 + 50 * width
        assert_equal one_by_one.to_s[0, written / 8], target.to_s[0, written / 8]
        assert_equal numbers, BitReader.new(target, order: order).skip(3).read_all(width, 50)
        after = BitReader.new(target, order: order).skip(written).read(5)
        assert_equal 31, after, "bits behind the last field stay"
      end
      assert_raises(RangeError) { BitWriter.new.write_all([1, 2, 300], 8) }
    end

    def test_rejects_values_that_do_not_fit
      writer = BitWriter.new
      [[4, 2], [-1, 8], [2**64, 64], [2**70, 64]].each do |value, width|
        assert_raises(RangeError) do
          writer.write(value, width)
        end
      end
      [[-3, 2], [2, 2], [2**63, 64], [-(2**63) - 1, 64]].each do |value, width|
        assert_raises(RangeError) { writer.write_signed(value, width) }
      end
      [0, 65, -1].each { |width| assert_raises(RangeError) { writer.write(0, width) } }
      assert_raises(TypeError) { writer.write("1", 8) }
      assert_raises(TypeError) { writer.write(1.0, 8) }
      assert_raises(ArgumentError) { BitWriter.new(order: :middle) }
      assert_raises(TypeError) { BitReader.new(5) }
      assert_raises(TypeError) { BitReader.allocate.read(1) }
      assert_raises(TypeError) { BitWriter.allocate.write(1, 1) }
      assert_equal 0, writer.position
    end

    def test_the_end
      reader = BitReader.new("\xFF\x80".b)
      reader.skip(12)
      error = assert_raises(EOFError) { reader.read(5) }
      assert_equal "expected 5 bits at bit 12, only 4 are left", error.message
      assert_equal [12, 4, false], [reader.position, reader.remaining, reader.eof?]
      assert_equal 0, reader.read(4)
      assert_predicate reader, :eof?
      assert_raises(EOFError) { reader.read_bytes(2**60) }
      assert_raises(EOFError) { reader.read_all(64, 2**50) }
    end

    def test_bytes_at_any_bit
      writer = BitWriter.new
      writer.write(1, 3).write_bytes("abc").write_bytes(Uint8Array.new([0xff]))
      assert_equal 5, writer.align
      reader = BitReader.new(writer.to_s)
      assert_equal [1, "abc", 255, 0], [reader.read(3), reader.read_bytes(3), reader.read(8), reader.read(5)]
      assert_equal 0, reader.align
      assert_predicate reader, :aligned?
    end

    def test_marks
      reader = BitReader.new("\x12\x34".b)
      reader.read(4)
      mark = reader.mark
      assert_equal [2, 3], [reader.read(4), reader.read(4)]
      assert_equal 2, reader.reset(mark).read(4)
      assert_equal 3, reader.peek(4)
      assert_raises(IndexError) { reader.reset(17) }
      assert_equal [3, 4], reader.read_all(4, 2)
    end

    def test_io_is_buffered_from_the_earliest_mark
      io = StringIO.new((0..255).map(&:chr).join.b * 3000)
      reader = BitReader.new(io)
      reader.skip(8 * 100_000)
      mark = reader.mark
      first = reader.read(32)
      reader.skip(8 * 100_000)
      assert_equal first, reader.reset(mark).read(32)
      reader.forget_marks.skip(8 * 500_000)
      assert_raises(IndexError) { reader.reset(mark) }
      assert_nil reader.remaining
    end

    def test_patch_and_rewind
      writer = BitWriter.new
      length_at = writer.mark
      writer.write(0, 24).write_bytes("payload")
      writer.patch(length_at, 7, 24)
      assert_equal "\0\0\x07payload", writer.to_s
      writer.rewind(28)
      assert_equal "\0\0\x07p".b, writer.to_s
      writer.write(0xf, 4).write_bit(true).write_bit(0)
      assert_equal "\0\0\x07\x7f\x80".b, writer.to_s
      assert_raises(IndexError) { writer.patch(30, 0, 9) }
      assert_raises(IndexError) { writer.rewind(100) }
    end

    def test_into_a_given_buffer
      buffer = ArrayBuffer.new(2)
      writer = BitWriter.new(buffer)
      writer.write(0xabc, 12)
      assert_raises(IndexError) { writer.write(0, 5) }
      assert_equal "\xab\xc0".b, buffer.to_s
      growing = ArrayBuffer.new(0, max_byte_length: 3)
      BitWriter.new(growing).write(1, 17)
      assert_equal 3, growing.byte_length
      growing.resize(1)
      shrunk = BitWriter.new(ArrayBuffer.new(4, max_byte_length: 4).tap { |b| @b = b })
      shrunk.write(1, 32)
      @b.resize(1)
      assert_raises(IndexError) { shrunk.patch(0, 1, 32) }
      assert_raises(IndexError) { shrunk.rewind(0) }
      assert_raises(IndexError) { shrunk.to_s }
      assert_raises(FrozenError) { BitWriter.new(ArrayBuffer.new(1).freeze) }
      writer_of_frozen = BitWriter.new(buffer)
      buffer.freeze
      assert_raises(FrozenError) { writer_of_frozen.write(1, 1) }
    end

    # The view refers to the buffer that the writer extends.
    def test_writing_a_buffer_to_itself
      buffer = ArrayBuffer.new(2, max_byte_length: 64)
      writer = BitWriter.new(buffer)
      writer.write(0x6162, 16)
      3.times { writer.write_bytes(Uint8Array.new(buffer)) }
      assert_equal "ab" * 8, buffer.to_s
    end

    def test_appending_to_a_string_and_an_io
      text = +"before "
      writer = BitWriter.new(text)
      writer.write_bytes("after").write(1, 1).flush
      assert_equal "before after", text
      writer.finish
      assert_equal "before after\x80".b, text.b
      out = StringIO.new
      large = BitWriter.new(out)
      1000.times { large.write_bytes("x" * 999).write(0x41, 8) }
      assert_operator out.size, :>, 900_000
      large.finish
      assert_equal 1_000_000, out.size
      assert_equal ["x" * 999, "A"], out.string[-1000..].unpack("a999a")
      assert_raises(IndexError) { large.rewind(0) }
    end

    # The examples are from DWARF 5, figures 22 and 23.
    def test_leb128
      { 2 => "02", 127 => "7f", 128 => "8001", 129 => "8101", 12_857 => "b964", 2**64 - 1 => "ffffffffffffffffff01" }
        .each { |number, hex| there_and_back(number, hex, :uleb128) }
      { 2 => "02", -2 => "7e", 127 => "ff00", -127 => "817f", 128 => "8001", -128 => "807f", 129 => "8101",
        -129 => "ff7e", 2**63 - 1 => "ffffffffffffffffff00", -(2**63) => "8080808080808080807f" }
        .each do |number, hex|
        there_and_back(number, hex, :sleb128)
      end
      assert_raises(RangeError) { BitReader.new("\xff" * 10).read_uleb128 }
      assert_raises(RangeError) { BitReader.new("\x80" * 30).read_sleb128 }
      assert_raises(EOFError) { BitReader.new("\x80").read_uleb128 }
    end

    # The examples are from RFC 9000, appendix A.1.
    def test_quic
      { 151_288_809_941_952_652 => "c2197c5eff14e88c", 494_878_333 => "9d7f3e7d", 15_293 => "7bbd", 37 => "25" }
        .each { |number, hex| there_and_back(number, hex, :quic) }
      assert_equal 37, BitReader.new("\x40\x25".b).read_quic
      assert_raises(RangeError) { BitWriter.new.write_quic(2**62) }
    end

    # The examples are from RFC 7541, appendix C.1.
    def test_hpack
      writer = BitWriter.new
      writer.write(0b101, 3).write_hpack(10, 5).write(0, 3).write_hpack(1337, 5).write_hpack(42, 8)
      assert_equal "aa1f9a0a2a", writer.to_s.unpack1("H*")
      reader = BitReader.new(writer.to_s)
      assert_equal [5, 10, 0, 1337, 42],
                   [reader.read(3), reader.read_hpack(5), reader.read(3), reader.read_hpack(5), reader.read_hpack(8)]
      assert_raises(RangeError) { BitReader.new("\xff" * 12).read_hpack(8) }
      assert_raises(RangeError) { BitReader.new("\x00").read_hpack(9) }
      [0, 30, 31, 32, 2**32, 2**64 - 1].each do |number|
        assert_equal number, BitReader.new(hpack(number)).read_hpack(5)
      end
    end

    def hpack(number)
      BitWriter.new.tap { |writer| writer.write_hpack(number, 5) }.then do |writer|
        bits = writer.to_s.unpack1("B*")[0, writer.position]
        [bits.ljust((bits.length + 7) / 8 * 8, "0")].pack("B*")
      end
    end

    def there_and_back(number, hex, kind)
      assert_equal hex, BitWriter.new.public_send("write_#{kind}", number).to_s.unpack1("H*"), number.to_s
      assert_equal number, BitReader.new([hex].pack("H*")).public_send("read_#{kind}")
    end
  end
end
