# frozen_string_literal: true

require "test_helper"
require "io/wait"
require "socket"

module Spate
  module Server
    # Native::WriteBuffer sends strings, frames and files in order. Compared with a model: a String that grows with each
    # append and shrinks with each read.
    class WriteBufferTest < Minitest::Test
      ROUNDS = 300
      SIZE = 3_000_000

      def setup
        @path = write("file.bin", @content = Random.new(5).bytes(SIZE))
        @file = File.open(@path, "rb")
        @pool = []
        @write_buffer = Native::WriteBuffer.new(@pool)
        @near, @far = UNIXSocket.pair
        @expected = "".b
        @got = "".b
      end

      def teardown
        @write_buffer.clear
        [@file, @near, @far].each(&:close)
        super
      end

      def descriptors = Dir.children("/proc/self/fd").size

      # Each of these methods appends one kind of data, at most as much as fits.
      def put_raw(random)
        bytes = random.bytes([random.rand(1..5000), @write_buffer.room].min)
        @write_buffer.raw(bytes)
        @expected << bytes
      end

      def put_file(random)
        from = random.rand(SIZE)
        length = random.rand(1..SIZE - from)
        count = @write_buffer.raw_file(@file.fileno, from, length)
        assert_operator count, :<=, length
        @expected << @content.byteslice(from, count)
      end

      def put_frames(random)
        from = random.rand(SIZE - 300_000)
        count = @write_buffer.file(1, @file.fileno, from, [random.rand(1..300_000), @write_buffer.data_room].min, false)
        sent = @content.byteslice(from, count)
        (0...count).step(16_384) do |at|
          part = sent.byteslice(at, 16_384)
          @expected << Wire.frame_header(part.bytesize) << part
        end
      end

      def take(random)
        @write_buffer.flush(@near.fileno)
        bytes = @far.read_nonblock(random.rand(1..400_000), exception: false)
        @got << bytes if bytes.is_a?(String)
      end

      # Frame headers as in the RFC, independent of the tested code.
      module Wire
        def self.frame_header(length) = [length >> 16, length & 0xffff, 0, 0, 1].pack("CnCCN")
      end

      def test_random_operations
        seed = Spate.test_seed
        random = Random.new(seed)
        before = descriptors
        ROUNDS.times do
          send(%i[put_raw put_file put_frames take take].sample(random: random), random)
          assert_equal @expected.bytesize - @got.bytesize - in_socket, @write_buffer.pending, "seed #{seed}"
        end
        take(random) until @write_buffer.empty? && @got.bytesize == @expected.bytesize
        assert @got == @expected, "seed #{seed}: other bytes came"
        assert_equal before, descriptors, "a descriptor was left open"
        assert_equal 1, @pool.size
      end

      # Returns the number of bytes that were written but not read yet.
      def in_socket
        buffer = [0].pack("i")
        @far.ioctl(0x541b, buffer) # FIONREAD
        buffer.unpack1("i")
      end

      # The buffer copies file contents until it knows that it writes directly to a socket.
      def test_files_for_another_transport
        assert_equal @write_buffer.room, @write_buffer.raw_file(@file.fileno, 0, SIZE)
        assert @write_buffer.to_s == @content.byteslice(0, 262_144)
        @write_buffer.written(262_144)
        assert_empty @write_buffer
      end

      # The buffer duplicates the descriptor, so the caller may close its own. Clearing the buffer closes the duplicate.
      def test_buffer_has_its_own_descriptor
        @write_buffer.flush(@near.fileno)
        before = descriptors
        room = @write_buffer.file_room
        assert_equal SIZE, @write_buffer.raw_file(@file.fileno, 0, SIZE)
        assert_equal [room - SIZE, SIZE], [@write_buffer.file_room, @write_buffer.pending]
        @file.close
        @write_buffer.flush(@near.fileno)
        assert_equal @content.byteslice(0, 1000), @far.read(1000)
        @write_buffer.clear
        assert_equal before - 1, descriptors
      end

      # A file is sent in one call while no other connection has work, because returning to Ruby means waiting for the
      # GVL.
      def test_file_is_sent_in_one_call
        calls = with_pipe { |wake| Array.new(5) { flushes_read(wake) } } # Ruby's timer may interrupt a call
        assert_operator calls.min, :<, flushes_alone
      end

      def test_file_is_not_sent_in_one_call_while_others_have_work
        calls = with_pipe do |wake, other|
          other.write("x")
          flushes_alone(wake: wake)
        end
        assert_operator calls, :>, 1
      end

      def with_pipe
        pipe = IO.pipe
        yield(*pipe)
      ensure
        pipe.each(&:close)
      end

      # Returns the number of calls while another thread reads.
      def flushes_read(wake)
        reader = Thread.new { @far.read(SIZE) }
        flushes(wake: wake).tap { assert reader.value == @content }
      end

      def flushes(wake: nil)
        @write_buffer.flush(@near.fileno)
        @write_buffer.raw_file(@file.fileno, 0, SIZE)
        calls = 0
        until (done = @write_buffer.flush(@near.fileno, wake&.fileno)) && (calls += 1)
          calls += 1
          yield if block_given?
        end
        done && calls
      end

      # Returns the number of calls while the same thread reads between them.
      def flushes_alone(wake: nil)
        left = SIZE
        read = lambda do
          while (bytes = @far.read_nonblock(SIZE, exception: false)).is_a?(String)
            left -= bytes.bytesize
          end
        end
        flushes(wake: wake, &read).tap { read.call }.tap { assert_equal 0, left }
      end

      # The file becomes shorter than the length that was promised.
      def test_file_that_is_truncated
        @write_buffer.flush(@near.fileno)
        @write_buffer.raw_file(@file.fileno, SIZE - 1000, 1000)
        File.truncate(@path, SIZE - 600)
        error = assert_raises(Response::Body::Truncated) { 3.times { @write_buffer.flush(@near.fileno) } }
        assert_match(/ends 600 bytes early/, error.message)
      end

      # sendfile fails for files in /proc.
      def test_files_without_pages
        File.open("/proc/self/mem") do |memory|
          @write_buffer.flush(@near.fileno)
          @write_buffer.raw_file(memory.fileno, 0, 1000)
          assert_raises(Response::Body::Truncated) { @write_buffer.flush(@near.fileno) }
        end
      end

      # An exception from another thread may arrive during a send. Sent bytes must not be sent again.
      def test_an_exception_during_a_send
        @write_buffer.raw(@content.byteslice(0, 200_000))
        step = nil
        sender = Thread.new do
          Thread.handle_interrupt(ArgumentError => :on_blocking) do
            step = :ready
            Thread.pass until step == :raised
            @write_buffer.flush(@near.fileno)
          end
        rescue ArgumentError
          nil
        end
        Thread.pass until step == :ready
        sender.raise(ArgumentError)
        step = :raised
        sender.join
        assert_equal 200_000, in_socket + @write_buffer.pending
      end

      # The pool contains a shorter buffer, which must not overflow.
      def test_pool_with_a_shorter_buffer
        @pool << ArrayBuffer.new(16)
        2.times do
          assert_raises(ArgumentError) { @write_buffer.raw("x" * 100) }
          @pool << ArrayBuffer.new(16)
        end
        @pool.clear
        assert_equal 100, @write_buffer.raw("x" * 100).pending
      end

      # The encoder caches header blocks. Other fields or another dynamic table need a new block.
      def test_header_blocks_again
        encoder = Native::HpackEncoder.new(4096)
        decoder = Native::HpackDecoder.new(4096, 65_536, 65_536, 1000)
        fields = { "server" => "x", "etag" => '"1"' }.freeze
        other = { "server" => "y", "etag" => '"2"' }.freeze
        [fields, fields, fields, other, fields, other, other, fields, fields].each_with_index do |sent, index|
          encoder.settings(128) if index == 7
          @write_buffer.headers(1, encoder, 200 + index % 2, sent, true)
          block = @write_buffer.to_s.byteslice(9..)
          @write_buffer.written(block.bytesize + 9)
          read = decoder.decode(block, 0, block.bytesize, nil)
          assert_equal [":status", (200 + index % 2).to_s, *sent.flatten], read, "block #{index}"
        end
      end
    end
  end
end
