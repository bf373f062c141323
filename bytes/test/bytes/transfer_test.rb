# frozen_string_literal: true

require "test_helper"
require "spate/bytes"
require "stringio"
require "socket"

module Spate
  # Buffers and views are read from IOs and written to them without Strings.
  class BytesTransferTest < Minitest::Test
    def test_writing_and_reading_a_file
      buffer = ArrayBuffer.from(Random.bytes(100_000))
      path = File.join(folder, "bytes")
      File.open(path, "wb") { |file| assert_equal 100_000, buffer.write_to(file) }
      assert_equal buffer.to_s, File.binread(path)
      copy = ArrayBuffer.new(100_010)
      File.open(path, "rb") { |file| assert_equal 100_000, copy.read_from(file) }
      assert_equal buffer, copy.slice(0, 100_000)
    end

    def test_rubys_buffered_bytes_come_first
      path = write("lines", "first\nsecond and third")
      array = Uint8Array.new(40)
      File.open(path, "rb") do |file|
        file.gets
        assert_equal 16, array.read_from(file, 1)
        assert_equal "\0second and third", array.bytes[0, 17]
      end
      reader, writer = IO.pipe
      writer.write("before ")
      DataView.new(ArrayBuffer.from("after")).write_to(writer)
      writer.close
      assert_equal "before after", reader.read
    end

    # read_from duplicates the descriptor, so that its number cannot be reused, and closes the duplicate. GC is disabled
    # because it would close files of other tests.
    def test_an_io_that_another_thread_closes
      GC.disable
      open_files = -> { Dir.children("/proc/self/fd").size }
      reader, writer = IO.pipe
      buffer = ArrayBuffer.new(10)
      before = open_files.call
      thread = Thread.new { buffer.read_from(reader) }
      thread.report_on_exception = false
      writer.write("abc")
      nil until open_files.call == before + 1
      reader.close
      assert_raises(IOError) { thread.value }
      refute_predicate buffer, :pinned?
      assert_equal before - 1, open_files.call
      assert_raises(Errno::EPIPE) { buffer.write_to(writer) }
      assert_equal before - 1, open_files.call
    ensure
      GC.enable
    end

    def test_reading_into_a_part_of_a_buffer
      reader, writer = IO.pipe
      ArrayBuffer.from("abcdef").write_to(writer, 2, 3)
      buffer = ArrayBuffer.new(8)
      assert_equal 3, buffer.read_partial_from(reader, 4)
      assert_equal "\0\0\0\0cde\0", buffer.to_s
      writer.close
      assert_equal 0, buffer.read_partial_from(reader)
      assert_raises(IndexError) { buffer.read_from(reader, 9) }
      assert_raises(IndexError) { buffer.read_from(reader, 4, 5) }
    end

    def test_buffer_keeps_its_size_while_another_thread_waits
      reader, writer = IO.pipe
      buffer = ArrayBuffer.new(4, max_byte_length: 1 << 20)
      thread = Thread.new { buffer.read_from(reader) }
      Thread.pass until thread.status == "sleep"
      assert buffer.pinned?
      assert_match(/in use/, assert_raises(TypeError) { buffer.resize(1 << 20) }.message)
      assert_raises(TypeError) { buffer.transfer }
      writer.write("abcd")
      assert_equal 4, thread.value
      refute buffer.pinned?
      assert_equal 1 << 20, buffer.resize(1 << 20).byte_length
    end

    def test_a_thread_that_waits_can_be_killed
      reader, writer = IO.pipe # without a reference to the writer, GC may close it, which ends the read
      buffer = ArrayBuffer.new(4)
      thread = Thread.new { buffer.read_from(reader) }
      Thread.pass until thread.status == "sleep"
      thread.kill
      assert thread.join(5)
      refute buffer.pinned?
      writer.close
    end

    # A frozen buffer could be shared with a Ractor, or other code could rely on its content.
    def test_buffer_cannot_be_frozen_during_read_from
      buffer = ArrayBuffer.new(8)
      reader, writer = IO.pipe
      liar = Object.new
      liar.define_singleton_method(:readpartial) { |_| reader.readpartial(4) }
      [buffer, Uint8Array.new(buffer, 2)].product([reader, liar]) do |target, io|
        thread = Thread.new { target.read_partial_from(io) }
        Thread.pass until thread.stop?
        error = assert_raises(TypeError) { buffer.freeze }
        assert_match(/cannot be frozen: its bytes are in use/, error.message)
        assert_raises(TypeError) { Ractor.make_shareable(buffer) }
        writer << "abcd"
        assert_equal 4, thread.value
      end
      assert_equal "ababcd", buffer.freeze.to_s[0, 6]
      assert Ractor.shareable?(buffer)
    end

    def test_objects_that_are_no_io
      out = StringIO.new
      assert_equal 3, ArrayBuffer.from("abc").write_to(out)
      assert_equal "abc", out.string
      buffer = ArrayBuffer.new(5)
      assert_equal 2, buffer.read_from(StringIO.new("xy"))
      assert_equal "xy\0\0\0", buffer.to_s
      liar = Object.new
      liar.define_singleton_method(:read) { |_| "far too long" }
      assert_raises(IOError) { buffer.read_from(liar) }
      refute buffer.pinned?
    end

    def test_sockets
      left, right = UNIXSocket.pair
      sender = Thread.new { ArrayBuffer.from("z" * 500_000).write_to(left) }
      buffer = ArrayBuffer.new(500_000)
      assert_equal 500_000, buffer.read_from(right)
      assert_equal 500_000, sender.value
      assert_equal "z" * 500_000, buffer.to_s
    end

    def test_io_error_classes
      reader, writer = IO.pipe
      assert_raises(IOError) { ArrayBuffer.new(1).write_to(reader) }
      assert_raises(IOError) { ArrayBuffer.new(1).read_from(writer) }
      reader.close
      assert_raises(Errno::EPIPE) { ArrayBuffer.new(1).write_to(writer) }
      assert_raises(FrozenError) { ArrayBuffer.new(1).freeze.read_from(writer) }
    end

    def test_memory_view
      require "fiddle"
      buffer = ArrayBuffer.from("abcd")
      view = Fiddle::MemoryView.new(buffer)
      assert_equal [4, 97, "abcd"], [view.byte_size, view[0], view.to_s]
      assert_raises(TypeError) { buffer.transfer }
      view.release
      assert_equal "abcd", ArrayBuffer.from(Fiddle::Pointer["abcd"]).to_s[0, 4]
      words = Fiddle::MemoryView.new(Uint16Array.new([258]))
      assert_equal [2, 258], [words.item_size, words[0]]
      words.release
    end
  end
end
