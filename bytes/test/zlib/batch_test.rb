# frozen_string_literal: true

require "test_helper"
require "spate/zlib"
require "timeout"
require "zlib"

module Spate
  class ZlibBatchTest < Minitest::Test
    TEXT = Array.new(4000) { |i| "line #{i * 7919 % 1013} of some text\n" }.join.b.freeze

    def pieces(count, length)
      Array.new(count) { |i| TEXT.byteslice(i * 131 % (TEXT.bytesize - length), length) }
    end

    def copies(count, text)
      deflated = ::Zlib.deflate(text, 1)
      Array.new(count) { deflated.dup << "" } # unshared bytes
    end

    def test_all_formats_sizes_and_numbers_of_threads
      [[0, 10], [1, 10], [3, 0], [500, 1], [700, 1000], [60, 50_000]].each do |count, length|
        plain = pieces(count, length)
        [1, 2, 5, nil].each do |threads|
          %i[zlib gzip raw].each do |format|
            deflated = Zlib.deflate_all(plain, format: format, threads: threads)
            assert_equal plain, Zlib.inflate_all(deflated, format: format, threads: threads)
            assert_equal plain, Zlib.inflate_all(deflated, threads: threads) unless format == :raw
          end
          assert_equal plain.map { |text| ::Zlib.crc32(text) }, Zlib.crc32_all(plain, threads: threads)
        end
      end
    end

    def test_results_are_compatible_with_ruby
      plain = pieces(200, 3000)
      assert_equal plain, Zlib.deflate_all(plain).map { |text| ::Zlib.inflate(text) }
      assert_equal plain, Zlib.deflate_all(plain, format: :gzip).map { |text| ::Zlib.gunzip(text) }
      assert_equal plain, Zlib.inflate_all(plain.map { |text| ::Zlib.deflate(text) })
      assert_equal plain, Zlib.inflate_all(plain.map { |text| ::Zlib.gzip(text) })
    end

    def test_results_are_binary_and_independent
      results = Zlib.inflate_all(Zlib.deflate_all(pieces(50, 40_000)))
      results.each { |text| assert_equal [Encoding::BINARY, false], [text.encoding, text.frozen?] }
      results.first << "more"
      assert_equal 40_004, results.first.bytesize
    end

    # Compression ratios vary, so size estimates are too small and too large.
    def test_items_with_different_compression_ratios
      plain = Array.new(80) { |i| i.even? ? Random.new(i).bytes(30_000) : "a" * (i * 20_000) }
      assert_equal plain, Zlib.inflate_all(Zlib.deflate_all(plain))
      assert_equal plain, Zlib.inflate_all(Zlib.deflate_all(plain, format: :gzip))
    end

    def test_long_items_go_step_by_step
      plain = [TEXT * 200, TEXT, TEXT * 220]
      assert_operator plain.first.bytesize, :>, 16 * 1024 * 1024
      assert_equal plain, Zlib.inflate_all(Zlib.deflate_all(plain, level: 1))
      gzips = Zlib.deflate_all(plain, level: 1, format: :gzip)
      assert_equal plain.map(&:bytesize), Zlib.inflate_all(gzips).map(&:bytesize)
    end

    def test_errors_contain_the_index_and_other_results_are_kept
      good = Zlib.deflate_all(pieces(300, 900))
      bad = good.dup
      bad[7] = "no zlib at all"
      bad[150] = good[150].byteslice(0..-3)
      bad[299] = good[299].dup.tap { |text| text.setbyte(-1, text.getbyte(-1) ^ 1) }
      error = assert_raises(Zlib::BatchError) { Zlib.inflate_all(bad) }
      assert_equal [7, 150, 299], error.errors.keys
      assert_equal 7, error.index
      assert_equal "item 7: incorrect header check (and 2 more)", error.message
      error.errors.each { |index, own| assert_error_of_one_call(own, bad[index]) }
      assert_equal [nil] * 3, error.results.values_at(7, 150, 299)
      assert_equal pieces(300, 900).reject.with_index { |_, i| error.errors.key?(i) }, error.results.compact

      kept = Zlib.inflate_all(bad, errors: :keep)
      assert_equal [Zlib::DataError, Zlib::BufError, Zlib::DataError], kept.values_at(7, 150, 299).map(&:class)
      assert_equal 297, kept.grep(String).size
    end

    def assert_error_of_one_call(own, text)
      stock = assert_raises(::Zlib::Error) { ::Zlib.inflate(text) }
      assert_equal ["Spate::#{stock.class}", stock.message], [own.class.name, own.message]
    end

    def test_invalid_gzip_items_raise_the_errors_of_gunzip
      good = Zlib.gzip(TEXT)
      bad = [good, good.byteslice(0..-9), good.byteslice(0, 200), good.dup.tap { |text| text.setbyte(-5, 0) },
             good.dup.tap { |text| text.setbyte(-1, 99) }, good.byteslice(0, 5)]
      results = Zlib.inflate_all(bad, errors: :keep)
      assert_equal TEXT, results.first
      expected = bad.drop(1).map { |text| assert_raises(::Zlib::Error) { ::Zlib.gunzip(text) } }
      assert_equal expected.map { |error| ["Spate::#{error.class}", error.message] },
                   results.drop(1).map { |error| [error.class.name, error.message] }
    end

    def test_limit_of_each
      texts = Zlib.deflate_all(["a" * 100, "b" * 101, "c" * 5_000_000])
      results = Zlib.inflate_all(texts, max_output: 100, errors: :keep)
      assert_equal ["a" * 100, Zlib::OutputLimitError, Zlib::OutputLimitError],
                   results.map { |result| result.is_a?(String) ? result : result.class }
      assert_raises(Zlib::BatchError) { Zlib.inflate_all(texts, max_output: 0) }
    end

    # A footer with a wrong length does not cause a large allocation.
    def test_footer_with_a_wrong_length
      small = Zlib.gzip("a" * 5000) + ("\0" * 8000)
      lying = small.byteslice(0..-5) + [4_000_000_000].pack("V")
      before = Integer(File.read("/proc/self/status")[/VmPeak:\s+(\d+)/, 1])
      assert_equal ["a" * 5000] * 20, Zlib.inflate_all([lying] * 20)
      assert_operator Integer(File.read("/proc/self/status")[/VmPeak:\s+(\d+)/, 1]) - before, :<, 500_000
    end

    # The same object repeatedly, and frozen, shared and embedded Strings.
    def test_any_kind_of_string
      one = ::Zlib.deflate(TEXT)
      short = ::Zlib.deflate("x")
      texts = [one, one, one.dup.freeze, one.byteslice(0..), short, short.dup.freeze, "#{one}garbage"] * 20
      assert_equal [TEXT, TEXT, TEXT, TEXT, "x", "x", TEXT] * 20, Zlib.inflate_all(texts)
      one << "still mine"
      like = Object.new
      def like.to_str = ::Zlib.deflate("like")
      assert_equal ["like"], Zlib.inflate_all([like])
    end

    def test_strings_are_locked_during_a_batch
      texts = Array.new(60) { ::Zlib.deflate(TEXT) }
      refused = 0
      batches = Thread.new { 30.times { Zlib.inflate_all(texts) } }
      while batches.alive?
        begin
          texts.sample.setbyte(-1, texts.first.getbyte(-1)) # the same byte
        rescue RuntimeError => e
          refused += 1
          assert_match(/temporarily locked/, e.message)
        end
        Thread.pass
      end
      batches.join
      texts.each { |text| text << "" }
      assert_operator refused, :>, 0
    end

    def test_two_batches_of_the_same_strings
      texts = Array.new(200) { |i| ::Zlib.deflate(TEXT.byteslice(i, 5000)) }
      expected = Array.new(200) { |i| TEXT.byteslice(i, 5000) }
      Array.new(4) { Thread.new { 5.times { assert_equal expected, Zlib.inflate_all(texts) } } }.each(&:join)
    end

    def test_non_strings_keep_their_place
      text = Zlib.deflate("text")
      %i[auto zlib gzip raw].each do |format|
        good = format == :gzip ? Zlib.gzip("text") : text
        good = Zlib.deflate_all(["text"], format: :raw).first if format == :raw
        first, *bad, last = Zlib.inflate_all([good, nil, 7, good], format: format, errors: :keep)
        assert_equal %w[text text], [first, last], format
        assert_equal [TypeError, TypeError], bad.map(&:class), format
      end
      error = assert_raises(Zlib::BatchError) { Zlib.each_inflated([text, nil, text]) { |found, _| found } }
      assert_equal [1, TypeError], [error.index, error.errors[1].class]
      assert_raises(TypeError) { Zlib.inflate_all([text, nil]) }
    end

    def test_wrong_arguments
      assert_raises(TypeError) { Zlib.inflate_all([nil]) }
      message = "no implicit conversion of String into Array"
      assert_equal message, assert_raises(TypeError) { Zlib.inflate_all("text") }.message
      assert_raises(ArgumentError) { Zlib.inflate_all([], threads: 0) }
      assert_raises(ArgumentError) { Zlib.inflate_all([], threads: -1) }
      assert_raises(ArgumentError) { Zlib.inflate_all([], format: :lzma) }
      assert_raises(ArgumentError) { Zlib.inflate_all([], errors: :ignore) }
      assert_raises(ArgumentError) { Zlib.inflate_all([""], max_output: -1) }
      assert_raises(Zlib::StreamError) { Zlib.deflate_all([], level: 10) }
      assert_equal ["x"], Zlib.inflate_all([::Zlib.deflate("x")], threads: 100_000)
    end

    def test_interrupted
      texts = copies(400, TEXT * 20)
      error = assert_raises(Timeout::Error) { Timeout.timeout(0.02) { Zlib.inflate_all(texts) } }
      assert_kind_of Timeout::Error, error
      texts.each { |text| text << "" } # no longer locked
      killed = Thread.new { Zlib.deflate_all(Array.new(50) { TEXT * 20 }) }
      sleep 0.02
      killed.kill
      assert killed.join(5)
      assert_equal TEXT * 20, Zlib.inflate_all([texts.first]).first
    end

    # A signal handler that does not raise does not end the batch.
    def test_signals_during_a_batch
      texts = copies(300, TEXT * 10)
      caught = 0
      before = trap("USR2") { caught += 1 }
      signals = Thread.new do
        loop do
          Process.kill("USR2", Process.pid)
          sleep 0.005
        end
      end
      assert_equal [TEXT * 10], Zlib.inflate_all(texts).uniq
      assert_operator caught, :>, 0
    ensure
      signals&.kill&.join
      trap("USR2", before || "DEFAULT")
    end

    def test_other_threads_go_on
      ticks = 0
      ticker = Thread.new do
        loop do
          ticks += 1
          sleep 0.001
        end
      end
      Thread.pass until ticks > 0
      before = ticks
      Zlib.deflate_all(Array.new(300, TEXT), threads: 1)
      # If the GVL were held, there would be at most one tick, at the end of the call.
      assert_operator ticks - before, :>, 1
    ensure
      ticker&.kill&.join
    end

    def test_after_fork
      texts = Zlib.deflate_all(pieces(500, 1000))
      child = fork { exit!(Zlib.inflate_all(texts, threads: 3) == pieces(500, 1000)) }
      assert Process.wait2(child).last.success?
    end

    def test_each_inflated
      plain = pieces(9000, 700)
      texts = Zlib.deflate_all(plain)
      seen = []
      assert_same texts, Zlib.each_inflated(texts) { |text, index| seen << [text, index] }
      assert_equal plain.each_with_index.to_a, seen
      assert_equal plain.first(3), Zlib.each_inflated(texts.lazy.take(3)).map { |text, _| text }
    end

    def test_each_inflated_with_invalid_items
      texts = Zlib.deflate_all(pieces(5000, 100))
      texts[4500] = "bad"
      indexes = []
      error = assert_raises(Zlib::BatchError) { Zlib.each_inflated(texts) { |_, index| indexes << index } }
      assert_equal [4500], error.errors.keys
      assert_equal "item 4500: incorrect header check", error.message
      assert_equal (0...5000).to_a - [4500], indexes
      kept = Zlib.each_inflated(texts, errors: :keep).map { |text, _| text }
      assert_equal [5000, Zlib::DataError], [kept.size, kept[4500].class]
    end

    def test_with_garbage_collection
      plain = pieces(40, 6000)
      texts = Zlib.deflate_all(plain)
      GC.stress = true
      results = Zlib.inflate_all(texts, threads: 2)
      GC.stress = false
      assert_equal plain, results
      compacting = Thread.new { 20.times { GC.compact } } if GC.respond_to?(:compact)
      20.times { assert_equal plain, Zlib.inflate_all(texts) }
      compacting&.join
    ensure
      GC.stress = false
    end
  end
end
