# frozen_string_literal: true

require "test_helper"
require "spate/zlib"
require "zlib"

module Spate
  class ZlibInflateTest < Minitest::Test
    TEXT = File.binread(__FILE__).freeze
    LARGE = (TEXT * 400)
    PACKED = ::Zlib.deflate(LARGE).freeze

    def test_every_size_around_the_gvl_point
      [0, 1, 1000, 65_535, 65_536, 65_537, 200_000, 1_000_000, 5_000_000].each do |length|
        [LARGE.byteslice(0, length), Random.new(length).bytes(length)].each do |bytes|
          packed = ::Zlib.deflate(bytes, 1)
          assert_equal bytes, Zlib.inflate(packed)
          assert_equal bytes, Zlib::Inflate.inflate(packed)
          assert_equal bytes, Zlib::Inflate.new.inflate(packed)
        end
      end
    end

    # After two results of the same length, the next one is allocated with that length. It may be wrong.
    def test_lengths_that_repeat_and_then_do_not
      lengths = [100_000, 100_000, 100_000, 30_000, 100_001, 100_001, 2_000_000, 100_001, 64, 500_000, 500_000, 65_537]
      lengths.each do |length|
        bytes = LARGE.byteslice(0, length)
        [::Zlib.deflate(bytes), ::Zlib.deflate(bytes, 0)].each do |packed|
          assert_equal bytes, Zlib.inflate(packed)
          assert_equal bytes, Zlib.inflate(packed, max_output: length)
          assert_raises(Zlib::OutputLimitError) { Zlib.inflate(packed, max_output: length - 1) }
        end
      end
    end

    def test_pieces
      [1, 7, 1000, 8191, 8192, 100_000].each do |length|
        inflate = Zlib::Inflate.new
        out = +"".b
        bytes = length == 1 ? PACKED.byteslice(0, 3000) : PACKED
        (0...bytes.bytesize).step(length) { |at| out << inflate.inflate(bytes.byteslice(at, length)) }
        assert_equal LARGE.byteslice(0, out.bytesize), out
        assert_equal LARGE.bytesize, out.bytesize unless length == 1
        assert_equal bytes.bytesize, inflate.total_in
      end
    end

    def test_raw_and_gzip_windows
      raw = ::Zlib::Deflate.new(6, -15).deflate(TEXT, Zlib::FINISH)
      assert_equal TEXT, Zlib::Inflate.new(-15).inflate(raw)
      gzip = ::Zlib.gzip(TEXT)
      assert_equal TEXT, Zlib::Inflate.new(31).inflate(gzip)
      assert_equal TEXT, Zlib::Inflate.new(47).inflate(gzip)
      assert_equal TEXT, Zlib::Inflate.new(47).inflate(Zlib.deflate(TEXT))
      assert_raises(Zlib::StreamError) { Zlib::Inflate.new(-1) }
      small = ::Zlib::Deflate.new(9, 9).deflate(LARGE, Zlib::FINISH)
      assert_equal LARGE, Zlib.inflate(small)
    end

    def test_bytes_after_the_stream
      inflate = Zlib::Inflate.new
      assert_equal TEXT, inflate.inflate("#{Zlib.deflate(TEXT)}rest")
      assert_equal "rest", inflate.inflate(nil)
      assert_equal "", inflate.inflate("more")
      assert_equal "more", inflate.finish
      assert_equal TEXT, Zlib.inflate("#{Zlib.deflate(TEXT)}rest")
      assert_equal LARGE, Zlib.inflate("#{PACKED}#{"rest" * 5000}")
    end

    def test_buffer
      buffer = String.new("what was there")
      inflate = Zlib::Inflate.new
      assert_same buffer, inflate.inflate(PACKED, buffer: buffer)
      assert_equal LARGE, buffer
      rest = inflate.finish
      refute_same buffer, rest
      assert_equal LARGE, buffer
      chunks = []
      Zlib::Inflate.new.inflate(PACKED, buffer: buffer) { |chunk| chunks << chunk.dup if assert_same(buffer, chunk) }
      assert_equal LARGE, chunks.join
      assert_raises(FrozenError) { Zlib::Inflate.new.inflate(PACKED, buffer: "".dup.freeze) }
      assert_raises(TypeError) { Zlib::Inflate.new.inflate(PACKED, buffer: 3) }
    end

    def test_chunks_of_a_block
      [PACKED, ::Zlib.deflate("0" * 100_000)].each do |packed|
        ours = []
        stock = []
        assert_nil(Zlib::Inflate.new.inflate(packed) { |chunk| ours << chunk })
        ::Zlib::Inflate.new.inflate(packed) { |chunk| stock << chunk }
        assert_equal stock, ours
      end
      chunks = []
      assert_nil(Zlib.inflate(PACKED) { |chunk| chunks << chunk })
      assert_equal LARGE, chunks.join
    end

    LEAVING = {
      break: ->(stream, text, chunks) { stream.inflate(text) { (chunks -= 1).zero? and break } },
      raise: lambda do |stream, text, chunks|
        stream.inflate(text) { (chunks -= 1).zero? and raise StopIteration }
      rescue StopIteration
        nil
      end,
      throw: ->(stream, text, chunks) { catch(:out) { stream.inflate(text) { (chunks -= 1).zero? and throw :out } } }
    }.freeze

    # Chunks are inflated one at a time. If the block leaves, the counters refer to the chunk that it received last.
    def test_counters_after_leaving_a_block_equal_those_of_ruby
      packed = ::Zlib.deflate(Random.new(1).bytes(150_000).unpack1("H*"))
      LEAVING.to_a.product([1, 2, 5, 19]).each do |(name, leave), chunks|
        ours, stock = [Zlib, ::Zlib].map do |zlib|
          stream = zlib::Inflate.new
          leave.call(stream, packed, chunks)
          counters = [stream.total_in, stream.total_out, stream.finished?, stream.avail_in]
          rest = stream.inflate(nil)
          [counters, rest, stream.total_in, stream.finished?]
        end
        assert_equal stock, ours, "#{name} at chunk #{chunks}"
      end
    end

    def test_leaving_the_block_loses_no_output
      inflate = Zlib::Inflate.new
      first = nil
      inflate.inflate(PACKED) do |chunk|
        first = chunk
        break
      end
      assert_equal LARGE, first + inflate.inflate("")
    end

    def test_dictionaries
      deflate = ::Zlib::Deflate.new
      deflate.set_dictionary(TEXT)
      packed = deflate.deflate(LARGE, Zlib::FINISH)
      inflate = Zlib::Inflate.new
      assert_equal "need dictionary", assert_raises(Zlib::NeedDict) { inflate.inflate(packed) }.message
      assert_equal Zlib.adler32(TEXT), inflate.adler
      inflate.set_dictionary(TEXT)
      assert_equal LARGE, inflate.inflate("")
      assert_equal LARGE, Zlib::Inflate.new.add_dictionary("other").add_dictionary(TEXT).inflate(packed)
      assert_raises(Zlib::NeedDict) { Zlib::Inflate.new.add_dictionary("other").inflate(packed) }
      assert_raises(Zlib::NeedDict) { Zlib.inflate(packed) }
      wrong = Zlib::Inflate.new
      assert_raises(Zlib::NeedDict) { wrong.inflate(packed) }
      assert_raises(Zlib::DataError) { wrong.set_dictionary("wrong") }
      assert_raises(TypeError) { wrong.add_dictionary(nil) }
      assert_raises(Zlib::StreamError) { Zlib::Inflate.new.set_dictionary("a") }
    end

    def test_changing_a_dictionary_after_adding_it_has_no_effect
      dictionary = +"a dictionary"
      deflate = Zlib::Deflate.new
      deflate.set_dictionary(dictionary)
      packed = deflate.deflate("a dictionary indeed", Zlib::FINISH)
      inflate = Zlib::Inflate.new.add_dictionary(dictionary)
      dictionary << " that is another one"
      assert_equal "a dictionary indeed", inflate.inflate(packed)
    end

    def test_sync
      deflate = Zlib::Deflate.new
      packed = deflate.deflate("foo" * 1000, Zlib::FULL_FLUSH) + deflate.deflate("bar" * 1000, Zlib::FINISH)
      inflate = Zlib::Inflate.new
      assert_raises(Zlib::DataError) { inflate << ("\0" * 100) }
      refute inflate.sync("")
      assert inflate.sync(packed)
      refute_predicate inflate, :sync_point?
      assert_equal "bar" * 1000, begin
        inflate.inflate("")
      rescue Zlib::DataError
        inflate.flush_next_out # the checksum does not match the remaining data
      end
    end

    def test_copies_are_independent
      first = Zlib::Inflate.new
      head = first.inflate(PACKED.byteslice(0, 5000))
      second = first.dup
      assert_equal LARGE, head + first.inflate(PACKED.byteslice(5000..))
      assert_equal LARGE, head + second.inflate(PACKED.byteslice(5000..))
    end

    def test_max_output
      [Zlib.method(:inflate), Zlib::Inflate.method(:inflate)].each do |inflate|
        assert_equal LARGE, inflate.call(PACKED, max_output: LARGE.bytesize)
        error = assert_raises(Zlib::OutputLimitError) { inflate.call(PACKED, max_output: LARGE.bytesize - 1) }
        assert_equal "more than #{LARGE.bytesize - 1} bytes when inflated (max_output)", error.message
        assert_raises(Zlib::OutputLimitError) { inflate.call(Zlib.deflate("ab"), max_output: 1) }
        assert_equal "", inflate.call(Zlib.deflate(""), max_output: 0)
        assert_equal "ab", inflate.call(Zlib.deflate("ab"), max_output: 2**80)
        assert_raises(ArgumentError) { inflate.call(PACKED, max_output: -1) }
        assert_raises(ArgumentError) { inflate.call(PACKED, max_output: -(2**70)) }
        assert_raises(TypeError) { inflate.call(PACKED, max_output: "1") }
        assert_raises(Zlib::OutputLimitError) { inflate.call(PACKED, max_output: 100_000) { nil } }
      end
    end

    def test_max_output_of_a_stream
      inflate = Zlib::Inflate.new(max_output: 100_000)
      assert_raises(Zlib::OutputLimitError) { inflate.inflate(PACKED) }
      assert_raises(Zlib::OutputLimitError) { inflate.inflate("") }
      assert_equal ["", ""], [inflate.flush_next_out, inflate.flush_next_in]
      inflate.reset
      assert_equal TEXT, inflate.inflate(Zlib.deflate(TEXT))
      assert_equal LARGE, Zlib::Inflate.new(15, max_output: LARGE.bytesize).inflate(PACKED)
      piecemeal = Zlib::Inflate.new(max_output: LARGE.bytesize - 1)
      assert_raises(Zlib::OutputLimitError) { PACKED.each_char { |byte| piecemeal << byte } }
      one_call = Zlib::Inflate.new
      assert_raises(Zlib::OutputLimitError) { one_call.inflate(PACKED, max_output: 5) }
      assert_equal LARGE, Zlib::Inflate.new.inflate(PACKED, max_output: LARGE.bytesize)
    end
  end
end
