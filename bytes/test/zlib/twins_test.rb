# frozen_string_literal: true

require "test_helper"
require "support/zlib_twins"

module Spate
  # Random calls of GzipReader, Inflate and Deflate have the same outcome as with Ruby's zlib. They use encodings,
  # dictionaries, chunks, and data before and after the end.
  class ZlibTwinsTest < Minitest::Test
    ROUNDS = ENV["SPATE_TEST_FULL"] ? 20_000 : 250

    %i[gzip_reader inflate deflate].each do |kind|
      define_method("test_#{kind}") do
        first = Spate.test_seed
        ROUNDS.times do |round|
          ZlibTwins.new(first + round).public_send(kind)
        rescue ZlibTwins::Difference => e
          flunk "#{e.message}\n(SPATE_SEED=#{first + round})"
        end
      end
    end

    # Differences that random calls found earlier.
    def test_differences_found_earlier
      utf16 = ::Zlib.gzip("ab\n".encode("UTF-16LE"))
      options = { external_encoding: "UTF-16LE", internal_encoding: "UTF-8" }
      assert_equal "ab\n", Zlib::GzipReader.new(StringIO.new(utf16), **options).read

      packed = ::Zlib::Deflate.new.tap { |one| one.set_dictionary("alpha") }.deflate("alpha é" * 9, ::Zlib::FINISH)
      inflate = Zlib::Inflate.new
      assert_raises(Zlib::NeedDict) { inflate.inflate(packed.byteslice(0, 7)) }
      inflate.set_dictionary("alpha")
      assert_equal ("alpha é" * 9).b, inflate.inflate(packed.byteslice(7..).force_encoding("UTF-8"))

      inflate = Zlib::Inflate.new
      inflate.inflate(::Zlib.deflate("x") + ("behind" * 3000))
      assert_equal [0, ""], [inflate.avail_in, inflate.flush_next_in]
    end
  end
end
