# frozen_string_literal: true

require "test_helper"
require "spate/zlib"

module Spate
  # Zlib::ZStream: the methods that Deflate and Inflate share.
  class ZlibZStreamTest < Minitest::Test
    TEXT = (0..2000).map { |i| "line #{i * i % 977}\n" }.join.freeze

    def test_totals_and_checksum
      deflate = Zlib::Deflate.new
      packed = deflate.deflate(TEXT, Zlib::FINISH)
      assert_equal [TEXT.bytesize, packed.bytesize], [deflate.total_in, deflate.total_out]
      assert_equal Zlib.adler32(TEXT), deflate.adler
      assert_includes [Zlib::ASCII, Zlib::BINARY, Zlib::UNKNOWN], deflate.data_type
      inflate = Zlib::Inflate.new
      assert_equal TEXT, inflate.inflate(packed)
      assert_equal [packed.bytesize, TEXT.bytesize], [inflate.total_in, inflate.total_out]
    end

    def test_closed
      stream = Zlib::Deflate.new
      refute_predicate stream, :closed?
      assert_nil stream.close
      assert_predicate stream, :ended?
      %i[close reset finish total_in total_out data_type adler finished? flush].each do |name|
        error = assert_raises(Zlib::Error, name.to_s) { stream.public_send(name) }
        assert_equal "stream is not ready", error.message
      end
      assert_raises(Zlib::Error) { stream << "a" }
      assert_raises(Zlib::Error) { stream.deflate("a") }
      assert_equal ["", "", 0, 0], [stream.flush_next_in, stream.flush_next_out, stream.avail_in, stream.avail_out]
    end

    def test_never_opened
      assert_raises(Zlib::Error) { Zlib::Inflate.allocate.inflate("a") }
      assert_raises(Zlib::Error) { Zlib::Deflate.allocate << "a" }
      assert_raises(Zlib::Error) { Zlib::Deflate.allocate.dup }
      assert_raises(TypeError) { Zlib::ZStream.new }
      assert_raises(Zlib::Error) { Zlib::Inflate.new.send(:initialize) }
      assert_raises(Zlib::Error) { Zlib::Deflate.new.send(:initialize) }
    end

    def test_closing_an_unfinished_stream_warns_when_verbose
      stream = Zlib::Deflate.new << "a"
      verbose, $VERBOSE = $VERBOSE, true
      assert_output("", /attempt to close unfinished zstream; reset forced/) { stream.close }
    ensure
      $VERBOSE = verbose
    end

    def test_reset
      inflate = Zlib::Inflate.new
      2.times do
        assert_equal TEXT, inflate.inflate(Zlib.deflate(TEXT))
        assert_predicate inflate, :stream_end?
        inflate.reset
        refute_predicate inflate, :finished?
        assert_equal 0, inflate.total_out
      end
    end

    def test_pending_output
      deflate = Zlib::Deflate.new
      deflate << TEXT
      deflate.avail_out = 100_000
      assert_operator deflate.avail_out, :>=, 100_000
      first = deflate.flush_next_out
      rest = deflate.finish
      assert_equal TEXT, Zlib.inflate(first + rest)
      assert_raises(ArgumentError) { deflate.avail_out = -1 }
      assert_raises(TypeError) { deflate.avail_out = "a" }
    end

    def test_pending_input
      inflate = Zlib::Inflate.new
      packed = Zlib.deflate("0" * 100_000) + ("a" * 10)
      assert_raises(StopIteration) { inflate.inflate(packed) { raise StopIteration } }
      assert_operator inflate.avail_in, :>, 0
      assert_operator inflate.flush_next_in, :end_with?, "a" * 10
      assert_equal 0, inflate.avail_in
    end

    def test_results_are_independent_binary_strings
      packed = Zlib::Deflate.new.deflate(TEXT, Zlib::FINISH)
      out = Zlib::Inflate.new.inflate(packed)
      assert_equal [Encoding::BINARY] * 2, [packed.encoding, out.encoding]
      refute_predicate out, :frozen?
      out << "more"
      large = Zlib::Inflate.new.inflate(Zlib.deflate(TEXT * 50))
      assert_equal String, large.class
      large << TEXT
      assert_equal TEXT * 51, large
      assert_equal 1, ObjectSpace.each_object(String).count { |string| string.equal?(large) }
    end

    def test_use_within_its_own_block
      deflate = Zlib::Deflate.new(1)
      calls = [-> { deflate << "a" }, -> { deflate.close }, -> { deflate.reset }, -> { deflate.params(1, 0) },
               -> { deflate.dup }, -> { deflate.set_dictionary("a") }, -> { deflate.flush_next_out },
               -> { deflate.avail_out = 5 }, -> { deflate.finish }]
      seen = []
      deflate.deflate(Random.bytes(100_000)) do
        calls.each { |call| seen << assert_raises(Zlib::InProgressError, &call).message }
        break
      end
      assert_equal ["zlib stream is in progress"] * calls.size, seen
      deflate.finish
    end

    def test_two_threads_at_one_stream
      deflate = Zlib::Deflate.new(1)
      pieces = Array.new(8) { |i| (i.to_s * 30_000) }
      out = pieces.map { |piece| Thread.new { 5.times.map { deflate.deflate(piece, Zlib::SYNC_FLUSH) } } }
                  .flat_map(&:value)
      assert_equal 8 * 5 * 30_000, deflate.total_in
      deflate.finish
      # Each result contains one whole piece.
      assert_equal 40, out.size
      raw = Zlib::Inflate.new(-Zlib::MAX_WBITS)
      sorted = out.sort_by { |piece| piece.start_with?("\x78".b) ? 0 : 1 }
      assert_equal 30_000, raw.inflate(sorted.first.byteslice(2..)).size
    end

    def test_closing_waits_for_another_threads_call
      packed = Zlib.deflate("0" * 50_000_000)
      20.times do
        inflate = Zlib::Inflate.new
        thread = Thread.new { inflate.inflate(packed).bytesize }.tap { |one| one.report_on_exception = false }
        Thread.pass
        inflate.close
        size = begin
          thread.value
        rescue Zlib::Error => e
          assert_equal "stream is not ready", e.message
          50_000_000
        end
        assert_equal 50_000_000, size
      end
    end

    def test_constants_equal_those_of_ruby
      require "zlib"
      names = ::Zlib.constants.select { |name| ::Zlib.const_get(name).is_a?(Integer) }
      assert_equal names.to_h { |name| [name, ::Zlib.const_get(name)] },
                   names.to_h { |name| [name, Zlib.const_get(name)] }
      assert_equal [], ::Zlib.constants - Zlib.constants
      assert_equal [], ::Zlib.singleton_methods - Zlib.singleton_methods
      %i[ZStream Deflate Inflate GzipFile GzipReader GzipWriter].each do |name|
        stock = ::Zlib.const_get(name)
        ours = Zlib.const_get(name)
        # Ruby's GzipFile is only a base class, so its `crc` may be missing here.
        assert_equal [], stock.instance_methods - ours.instance_methods - (name == :GzipFile ? [:crc] : []), name
        assert_equal [], stock.singleton_methods - ours.singleton_methods, name
      end
    end

    def test_error_classes
      %i[StreamEnd NeedDict DataError StreamError MemError BufError VersionError InProgressError].each do |name|
        assert_equal Zlib::Error, Zlib.const_get(name).superclass
      end
      assert_operator Zlib::OutputLimitError, :<, Zlib::BufError
    end
  end
end
