# frozen_string_literal: true

require "test_helper"
require "zlib"
require "spate/zlib"

module Spate
  # Zlib::Inflate computes the Adler-32 of a stream outside of zlib. Results, errors and `adler` equal those of Ruby's
  # zlib.
  class ZlibStreamSumTest < Minitest::Test
    TEXT = Array.new(3000) { |i| "line #{i * i}\n" }.join.freeze
    DEFLATED = ::Zlib.deflate(TEXT, 6).freeze
    DICTIONARY = "line 1234567890\n"

    # Compares results, checksums and errors of Ruby's zlib and Spate's, step by step.
    def assert_alike(parts, wbits: 15, dictionary: nil, &block)
      seen = [::Zlib, Zlib].map do |library|
        stream = library::Inflate.new(wbits)
        stream.add_dictionary(dictionary) if dictionary
        parts.map do |part|
          block&.call(stream)
          [stream.inflate(part), stream.adler, stream.total_in, stream.total_out, stream.finished?]
        rescue library::Error => e
          [e.class.name[/\w+\z/], e.message, stream.adler, stream.total_out, stream.finished?]
        end
      end
      assert_equal(*seen)
    end

    def test_parts_of_any_length
      [1, 2, 3, 4, 5, 7, 1000].each { |length| assert_alike(DEFLATED.scan(/.{1,#{length}}/mn)) }
      (1..8).each { |count| assert_alike([DEFLATED[0...-count], *DEFLATED[-count..].chars]) }
      assert_alike([DEFLATED, "behind", ""])
    end

    def test_a_wrong_sum_at_each_of_its_bits
      32.times do |bit|
        damaged = DEFLATED.dup
        at = damaged.bytesize - 1 - bit / 8
        damaged.setbyte(at, damaged.getbyte(at) ^ (1 << bit % 8))
        assert_alike([damaged, "more", ""])
        assert_alike([damaged[0...-2], damaged[-2..], "more"])
      end
      assert_raises(Zlib::DataError) { Zlib::Inflate.inflate("#{DEFLATED[0...-1]}?") }
    end

    def test_after_a_wrong_sum
      damaged = "#{DEFLATED[0...-1]}?"
      stream = Zlib::Inflate.new
      2.times do
        assert_match(/incorrect data check/, assert_raises(Zlib::DataError) { stream.inflate(damaged) }.message)
        assert_raises(Zlib::DataError) { stream.finish }
        stream.reset
      end
      assert_equal [TEXT, ::Zlib.adler32(TEXT)], [stream.inflate(DEFLATED), stream.adler]
    end

    def test_copies_have_independent_checksums
      stream = Zlib::Inflate.new
      first = stream.inflate(DEFLATED[0, 5000])
      copy = stream.dup
      assert_raises(Zlib::DataError) { stream.inflate("#{DEFLATED[5000...-1]}?") }
      assert_equal [TEXT, ::Zlib.adler32(TEXT)], [first + copy.inflate(DEFLATED[5000..]), copy.adler]
    end

    def test_dictionaries
      deflate = ::Zlib::Deflate.new
      deflate.set_dictionary(DICTIONARY)
      deflated = deflate.deflate(TEXT, ::Zlib::FINISH)
      assert_alike([deflated], dictionary: DICTIONARY)
      assert_alike(deflated.scan(/.{1,1000}/mn), dictionary: DICTIONARY)
      assert_alike([deflated])
      assert_alike(["#{deflated[0...-1]}?"], dictionary: DICTIONARY)
    end

    def test_other_containers
      [-15, 31, 47].each do |wbits|
        deflate = ::Zlib::Deflate.new(6, wbits == 47 ? 31 : wbits)
        deflated = deflate.deflate(TEXT, ::Zlib::FINISH)
        assert_alike(deflated.scan(/.{1,1000}/mn), wbits: wbits)
        assert_alike(["#{deflated[0...-5]}?#{deflated[-4..]}"], wbits: wbits) unless wbits.negative?
      end
      assert_alike(DEFLATED.scan(/.{1,1000}/mn), wbits: 47)
    end

    # After a flush point found by sync the checksum is not compared.
    def test_sync
      deflate = ::Zlib::Deflate.new
      parts = [deflate.deflate(TEXT, ::Zlib::FULL_FLUSH), deflate.deflate(TEXT, ::Zlib::FINISH)]
      seen = [::Zlib, Zlib].map do |library|
        stream = library::Inflate.new
        stream.inflate(parts[0][0, 100])
        found = stream.sync(parts[0][-50..] + parts[1])
        [found, stream.inflate(""), stream.finished?, stream.adler]
      rescue library::Error => e
        e.message
      end
      assert_equal(*seen)
    end

    def test_checksum_between_sync_and_flush_point
      damaged = "#{DEFLATED[0...-1]}?"
      seen = [::Zlib, Zlib].map do |library|
        stream = library::Inflate.new
        assert_raises(library::DataError) { stream.inflate(damaged) }
        refute stream.sync("without a flush point")
        [assert_raises(library::Error) { stream.inflate(damaged) }.class.name[/\w+\z/], stream.adler]
      end
      assert_equal(*seen)
    end

    # A sync that finds no flush point changes nothing, nor does a sync before a reset.
    def test_a_sync_without_a_flush_point
      damaged = "#{DEFLATED[0...-1]}?"
      stream = Zlib::Inflate.new
      refute stream.sync("")
      assert_raises(Zlib::DataError) { stream.inflate(damaged) }
      stream.reset
      stream.inflate(damaged[0, 100])
      refute stream.sync("without a flush point")
      stream.reset
      assert_raises(Zlib::DataError) { stream.inflate(damaged) }
    end
  end
end
