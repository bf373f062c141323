# frozen_string_literal: true

require "test_helper"
require "spate/bytes"
require "stringio"

module Spate
  # Conversions and callbacks run Ruby code, which may detach or resize the buffer in use.
  class BytesCallbacksTest < Minitest::Test
    def number(value, method = :to_int, &effect)
      Object.new.tap { |object| object.define_singleton_method(method) { effect.call && value } }
    end

    def array(length = 8)
      Uint8Array.new(ArrayBuffer.new(length, max_byte_length: length))
    end

    def test_index_conversion_that_detaches_the_buffer
      gone = array
      assert_nil gone[number(1) { gone.buffer.transfer }]
      gone = array
      assert_nil gone.at(number(1) { gone.buffer.transfer })
      gone = array
      assert_raises(TypeError) { gone[number(1) { gone.buffer.transfer }] = 7 }
    end

    def test_index_conversion_that_shrinks_the_buffer
      short = array
      assert_raises(IndexError) { short[number(5) { short.buffer.resize(2) }] = 7 }
      assert_equal [0] * 8, short.tap { |a| a.buffer.resize(8) }.to_a
      short = array.fill(7)
      assert_nil short[number(5) { short.buffer.resize(2) }]
    end

    # ECMA-262 10.4.5.5: the index is converted before the value.
    def test_the_index_is_converted_before_the_number
      order = []
      array[number(1) { order << :index }] = number(1) { order << :number }
      assert_equal %i[index number], order
    end

    # If the conversion of an argument detaches the buffer, slice raises a TypeError: ECMA-262 23.2.3.27, step 14.
    def test_slice_of_an_array_that_is_detached_during_the_call
      gone = array
      assert_raises(TypeError) { gone.slice(number(1) { gone.buffer.transfer }) }
    end

    def test_bytes_of_a_detached_view
      buffer = ArrayBuffer.new(4)
      view = DataView.new(buffer)
      array = Uint8Array.new(buffer)
      buffer.transfer
      assert_raises(TypeError) { view.get_bytes(0, 0) }
      assert_raises(TypeError) { view.set_bytes(0, "") }
      assert_raises(TypeError) { array.set_bytes(0, "") }
    end

    def test_bytes_that_change_during_marshal_dump
      bytes = "x" * 100_000
      length = number(100_000) { bytes.replace("y") }
      buffer = ArrayBuffer.allocate
      buffer.marshal_load([bytes, length])
      assert_equal "y", buffer.to_s
      assert_raises(TypeError) { Uint8Array.allocate.marshal_load(nil) }
      assert_raises(TypeError) { Uint8Array.allocate.marshal_load([5]) }
      assert_raises(FrozenError) { ArrayBuffer.allocate.freeze.marshal_load(["a", nil]) }
      assert_raises(FrozenError) { ArrayBuffer.allocate.freeze.send(:initialize_copy, ArrayBuffer.new(1)) }
    end

    # A short Array shares its elements with the Array that it was copied from.
    def test_header_fields_are_not_shared
      zeros = [0, 0, 0, 0].freeze
      fields = zeros.dup
      Wire.read_frame_header(Wire.frame(1, 2, 3, "abc"), 0, fields)
      assert_equal [[3, 1, 2, 3], [0, 0, 0, 0]], [fields, zeros]
    end

    def sink(&effect)
      Object.new.tap { |io| io.define_singleton_method(:write) { |bytes| effect.call && bytes.bytesize } }
    end

    def test_a_writer_that_is_flushed_while_it_is_flushed
      writer = nil
      seen = 0
      writer = BitWriter.new(sink { (seen += 1) > 1 || writer.flush })
      writer.write_bytes("abc")
      assert_raises(IOError) { writer.flush }
      writer = BitWriter.new(sink { writer.write(1, 8) })
      writer.write_bytes("abc")
      assert_raises(IOError) { writer.flush }
      assert_equal "abc", writer.to_s
    end

    def test_numbers_that_grow_during_write
      numbers = [1] * 10
      writer = BitWriter.new(sink { numbers.concat([2] * 1_000_000) })
      writer.write_bytes("x" * 100_000) until writer.position > 8_000_000
      fill = writer.write(0, 8)
      fill.write_all(numbers, 8) while numbers.length == 10
      assert_operator writer.position % 8, :==, 0
      assert_equal [1] * 10, numbers.first(10)
    end

    def test_bytes_that_shrink_during_write
      text = "y" * 200_000
      writer = BitWriter.new(sink { text.replace("z") })
      written = 0
      writer.write_bytes(text) && written += 1 while text.length > 1 && written < 100
      assert_equal "z", text
      assert_equal "z", writer.to_s[-1]
    end

    def compat(length) = Compat::ArrayBuffer.new(length)

    def test_indexes_of_the_interface_of_the_gem
      buffer = compat(8)
      assert_raises(ArgumentError, TypeError) { buffer[number(1) { buffer.transfer }] }
      buffer = compat(8)
      assert_raises(ArgumentError, TypeError) { buffer[number(1) { buffer.transfer }] = 1 }
      view = Compat::DataView.new(compat(200_000))
      numbers = [1] * 100_000
      view.setBytes(number(0) { numbers.clear }, numbers)
      text = "x" * 100_000
      view.setBytes(number(0) { text.clear }, text)
    rescue ArgumentError
      assert_empty numbers
    end

    def test_a_string_io_at_its_end
      assert_equal 0, ArrayBuffer.new(4).read_partial_from(StringIO.new)
    end

    # The encoding conversion has buffered characters, so raw bytes cannot be read after them.
    def test_an_io_that_holds_converted_characters
      path = write("wide", "one\ntwo\n".encode("UTF-16LE"))
      File.open(path, "rb:UTF-16LE:UTF-8") do |file|
        file.getc && file.ungetc("x")
        assert_raises(IOError) { ArrayBuffer.new(4).read_from(file) }
      end
    end

    def test_arguments_that_are_no_numbers
      assert_raises(TypeError) { Uint8Array.new(2).set(5) }
      assert_raises(TypeError) { Uint8Array.new(2).set("ab") }
      assert_raises(TypeError) { Uint8Array.new(2).set(nil) }
      assert_raises(TypeError) { Uint8Array.from(5) }
    end

    # A reader or writer that raises keeps its position.
    def test_integers_of_variable_length_are_read_whole_or_not_at_all
      { "read_uleb128" => "\x80\x80".b, "read_sleb128" => "\xff".b * 12, "read_quic" => "\xc0".b }
        .each do |method, bytes|
        reader = BitReader.new(bytes)
        assert_raises(EOFError, RangeError) { reader.public_send(method) }
        assert_equal 0, reader.position, method
      end
      reader = BitReader.new("\xff\xff".b)
      assert_raises(EOFError) { reader.read_hpack(5) }
      assert_equal 0, reader.position
      writer = BitWriter.new(ArrayBuffer.new(2))
      assert_raises(IndexError) { writer.write_uleb128(2**60) }
      assert_raises(IndexError) { writer.write_sleb128(-2**60) }
      assert_raises(IndexError) { writer.write_hpack(2**60, 5) }
      assert_equal [0, "\0\0"], [writer.position, writer.to_s.ljust(2, "\0")]
    end

    # A long read does not copy the previous bytes for each piece.
    def test_a_long_read_of_an_io_is_not_quadratic
      bytes = "x" * (48 << 20)
      before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      assert_equal bytes.bytesize, BitReader.new(StringIO.new(bytes)).read_bytes(bytes.bytesize).bytesize
      assert_operator Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - before, :<, 1
    end

    def test_frozen_readers_and_writers
      assert_raises(FrozenError) { BitWriter.new.freeze.write(1, 1) }
      assert_raises(FrozenError) { BitReader.new("a").freeze.read(1) }
      assert_equal 97, BitReader.new("a").freeze.peek(8)
    end

    def test_optional_arguments_as_in_javascript
      array = Uint8Array.of(1, 2, 1, 3)
      assert_equal [2, 0, 0, -1], [[1], [1, 1], [1, -3], [2, 0]].map { |arguments| array.lastIndexOf(*arguments) }
      assert_equal [true, false, true, false, true],
                   [[1], [2, 2], [3, -1], [1, -1], [1, -9]].map { |arguments| array.includes(*arguments) }
      assert_equal "AQ", Uint8Array.of(1).to_base64(omitPadding: true)
      assert_raises(ArgumentError) { Uint8Array.from_base64("AQ", lastChunkHandling: "strict") }
    end

    def test_marshal_data_of_the_other_byte_order
      array = Uint16Array.of(1, 258)
      bytes, order = array.marshal_dump
      other = order == "little" ? "big" : "little"
      assert_equal [256, 513], Uint16Array.allocate.tap { |copy| copy.marshal_load([bytes, other]) }.to_a
      assert_raises(TypeError) { Uint16Array.allocate.marshal_load([bytes, "middle"]) }
    end

    def test_bytes_of_an_io_buffer
      before = Warning[:experimental]
      Warning[:experimental] = false
      assert_equal "abc", ArrayBuffer.from(IO::Buffer.for("abc")).to_s
      text = Object.new.tap { |object| object.define_singleton_method(:to_str) { "xyz" } }
      assert_equal "xyz", ArrayBuffer.from(text).to_s
    ensure
      Warning[:experimental] = before
    end

    def test_the_timeout_of_an_io
      return refute(IO.const_defined?(:TimeoutError)) unless IO.method_defined?(:timeout=)

      reader, writer = IO.pipe # referenced, so that GC does not close it
      reader.timeout = 0.01
      buffer = ArrayBuffer.new(1)
      assert_raises(IO::TimeoutError) { buffer.read_from(reader) }
      refute_predicate buffer, :pinned?
      writer.close
    end

    def test_data_views_are_ordered_and_marshalled
      a, b = %w[aa ab].map { |text| DataView.new(ArrayBuffer.from(text)) }
      assert_equal [-1, 1, 0, nil], [a <=> b, b <=> a, a <=> a.dup, a <=> "aa"]
      assert_equal a, Marshal.load(Marshal.dump(a))
      buffer = ArrayBuffer.new(3, max_byte_length: 9)
      copy = Marshal.load(Marshal.dump(DataView.new(buffer, 1)))
      assert_equal 8, copy.buffer.resize(9) && copy.byte_length
      fixed = Marshal.load(Marshal.dump(DataView.new(buffer, 1, 2)))
      assert_equal 2, fixed.buffer.resize(9) && fixed.byte_length
      [nil, [1], [buffer, 4, nil], ["abc", 0, 0]].each do |dumped|
        assert_raises(TypeError, IndexError) { DataView.allocate.marshal_load(dumped) }
      end
    end
  end
end
