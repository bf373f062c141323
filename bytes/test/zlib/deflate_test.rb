# frozen_string_literal: true

require "test_helper"
require "spate/zlib"
require "zlib"

module Spate
  # Zlib.deflate and Zlib::Deflate, compared with the stock library: streams write identical bytes; whole buffers have
  # the same content and nearly the same size.
  class ZlibDeflateTest < Minitest::Test
    SAMPLES = {
      empty: "", one: "a", text: File.binread(__FILE__) * 3, zeros: "\0" * 300_000,
      random: Random.new(1).bytes(150_000),
      mixed: (0..30_000).map { |i| [i * 7919 % 65_521].pack("N") + ("ab" * (i % 7)) }.join.b
    }.freeze

    def test_whole_buffers_round_trip
      SAMPLES.each do |name, bytes|
        (-1..9).each do |level|
          packed = Zlib.deflate(bytes, level)
          assert_equal bytes, ::Zlib.inflate(packed), "#{name} at #{level}"
          assert_equal bytes, Zlib.inflate(packed), "#{name} at #{level}"
        end
      end
    end

    def test_sizes_are_close_to_those_of_zlib
      paths = Dir[File.join(RbConfig::CONFIG["rubylibdir"], "*.rb")].sort
      text = paths.map { |path| File.binread(path) }.join.byteslice(0, 1_500_000)
      [1000, 100_000, text.bytesize].each do |length|
        pieces = (0...text.bytesize).step(length).first(50).map { |at| text.byteslice(at, length) }
        ours = pieces.sum { |piece| Zlib.deflate(piece).bytesize }
        stock = pieces.sum { |piece| ::Zlib.deflate(piece).bytesize }
        assert_operator ours, :<=, stock * 1.015, "pieces of #{length}"
      end
    end

    def test_identical_bytes
      SAMPLES.each do |name, bytes|
        [*1..9, -1].each do |level|
          assert_equal ::Zlib.deflate(bytes, level), Zlib.deflate(bytes, level, identical: true), "#{name} at #{level}"
        end
      end
    end

    def test_identical_setting
      refute_predicate Zlib, :identical?
      Zlib.identical = true
      assert_equal ::Zlib.deflate(SAMPLES[:text]), Zlib.deflate(SAMPLES[:text])
      assert_equal ::Zlib.deflate(SAMPLES[:text]), Zlib::Deflate.deflate(SAMPLES[:text])
    ensure
      Zlib.identical = false
    end

    # Streams write the same bytes as the stock library, for pieces of any size.
    def test_streams_write_the_same_bytes
      SAMPLES.each do |name, bytes|
        [1, 3, 4, 6, 9].each do |level|
          ours = Zlib::Deflate.new(level)
          stock = ::Zlib::Deflate.new(level)
          out = [ours, stock].map { |stream| pieces(bytes).map { |piece| stream.deflate(piece) }.join + stream.finish }
          assert out[0] == out[1], "#{name} at #{level}"
        end
      end
    end

    # Compares only the content: zlib repeats a flush marker if its output buffer was just full, and the buffer sizes of
    # the two libraries differ.
    def test_flushes
      SAMPLES.each do |name, bytes|
        [Zlib::SYNC_FLUSH, Zlib::FULL_FLUSH].each do |flush|
          deflate = Zlib::Deflate.new
          inflate = ::Zlib::Inflate.new
          pieces(bytes).each do |piece|
            assert_equal piece, inflate.inflate(deflate.deflate(piece, flush)), name
          end
          assert_equal "", inflate.inflate(deflate.finish)
        end
      end
    end

    def pieces(bytes)
      random = Random.new(5)
      at = 0
      [].tap do |all|
        while at < bytes.bytesize
          all << bytes.byteslice(at, [1, 100, 9000, 70_000].sample(random: random))
          at += all.last.bytesize
        end
      end
    end

    def test_parameters_of_a_stream
      bytes = SAMPLES[:text]
      [[9, 15, 9, 0], [1, 9, 1, 1], [6, -15, 8, 2], [6, 31, 8, 3], [nil, nil, nil, nil], [3, -9, 2, 4]].each do |given|
        stock = ::Zlib::Deflate.new(*given).deflate(bytes, Zlib::FINISH)
        ours = Zlib::Deflate.new(*given).deflate(bytes, Zlib::FINISH)
        # The header of gzip has a time and an operating system. zlib leaves both empty.
        assert_equal stock, ours, given.inspect
      end
    end

    def test_wrong_parameters
      assert_equal "stream error", assert_raises(Zlib::StreamError) { Zlib::Deflate.new(10) }.message
      assert_raises(Zlib::StreamError) { Zlib.deflate("a", 10) }
      assert_raises(Zlib::StreamError) { Zlib.deflate("a" * 10_000, -2) }
      assert_raises(Zlib::StreamError) { Zlib::Deflate.new(6, 99) }
      assert_raises(Zlib::StreamError) { Zlib::Deflate.new(6, 15, 99) }
      assert_raises(RangeError) { Zlib::Deflate.new(2**40) }
      assert_raises(TypeError) { Zlib::Deflate.new("6") }
      assert_raises(TypeError) { Zlib.deflate(nil) }
      assert_raises(TypeError) { Zlib.deflate(3) }
      assert_raises(ArgumentError) { Zlib.deflate("a", unknown: 1) }
      assert_raises(ArgumentError) { Zlib.deflate }
    end

    def test_nil_finishes
      deflate = Zlib::Deflate.new
      deflate << "foo"
      assert_equal "foo", Zlib.inflate(deflate.deflate(nil))
      assert_predicate deflate, :finished?
    end

    def test_flushing_twice_behaves_as_in_zlib
      [Zlib, ::Zlib].each do |zlib|
        deflate = zlib::Deflate.new << "a"
        assert_operator deflate.flush.bytesize, :>, 0
        error = assert_raises(zlib::BufError) { deflate.flush }
        assert_equal "buffer error", error.message
        assert_equal "a", zlib.inflate(zlib.deflate("a"))
        assert_equal "", deflate.flush(zlib::NO_FLUSH)
        deflate.finish
      end
    end

    def test_chunks_of_a_block
      chunks = []
      deflate = Zlib::Deflate.new(0)
      assert_nil(deflate.deflate(SAMPLES[:random]) { |chunk| chunks << chunk })
      assert_equal [16_384], chunks.map(&:bytesize).uniq
      deflate.finish { |chunk| chunks << chunk }
      assert_equal SAMPLES[:random], Zlib.inflate(chunks.join)
      whole = +""
      assert_nil(Zlib.deflate(SAMPLES[:mixed]) { |chunk| whole << chunk })
      assert_equal ::Zlib.deflate(SAMPLES[:mixed]), whole
    end

    def test_leaving_the_block_loses_no_output
      [:break, :throw, RuntimeError].each do |way|
        deflate = Zlib::Deflate.new(0)
        out = +"".b
        catch(:left) do
          deflate.deflate(SAMPLES[:random]) do |chunk|
            out << chunk
            break if way == :break

            way == :throw ? throw(:left) : raise(way)
          end
        rescue RuntimeError
          nil
        end
        out << deflate.finish
        assert_equal SAMPLES[:random], Zlib.inflate(out)
      end
    end

    def test_params_and_dictionary
      deflate = Zlib::Deflate.new(0)
      deflate.set_dictionary("lines of text")
      out = deflate.deflate(SAMPLES[:text])
      assert_nil deflate.params(9, Zlib::DEFAULT_STRATEGY)
      out << deflate.deflate(SAMPLES[:text]) << deflate.finish
      inflate = ::Zlib::Inflate.new
      inflate.add_dictionary("lines of text")
      assert_equal SAMPLES[:text] * 2, inflate.inflate(out)
      assert_operator out.bytesize, :<, SAMPLES[:text].bytesize * 1.6
      assert_raises(Zlib::StreamError) { Zlib::Deflate.new.params(10, 0) }
      assert_raises(Zlib::StreamError) { (Zlib::Deflate.new << "a").set_dictionary("b") }
    end

    def test_copies_are_independent
      first = Zlib::Deflate.new << SAMPLES[:text]
      second = first.dup
      assert_equal "#{SAMPLES[:text]}1", Zlib.inflate(first.deflate("1", Zlib::FINISH))
      assert_equal "#{SAMPLES[:text]}2", Zlib.inflate(second.clone.deflate("2", Zlib::FINISH))
      assert_equal SAMPLES[:text], Zlib.inflate(second.finish)
    end
  end
end
