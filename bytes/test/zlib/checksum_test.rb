# frozen_string_literal: true

require "test_helper"
require "spate/zlib"
require "stringio"
require "zlib"

module Spate
  class ZlibChecksumTest < Minitest::Test
    %i[crc32 adler32].each do |name|
      define_method(:"test_#{name}_of_strings") do
        [0, 1, 15, 16, 17, 1000, 262_143, 262_144, 3_000_000].each do |length|
          bytes = Random.new(length).bytes(length)
          assert_equal ::Zlib.public_send(name, bytes), Zlib.public_send(name, bytes)
          assert_equal ::Zlib.public_send(name, bytes, 12_345), Zlib.public_send(name, bytes, 12_345)
          assert_equal Zlib.public_send(name, bytes * 2), Zlib.public_send(name, bytes, Zlib.public_send(name, bytes))
        end
      end

      define_method(:"test_#{name}_of_little") do
        [[], [nil], [nil, 7], [nil, nil], ["", nil], ["", 7], ["p", 2**32 - 1]].each do |given|
          assert_equal ::Zlib.public_send(name, *given), Zlib.public_send(name, *given), given.inspect
        end
        assert_raises(TypeError) { Zlib.public_send(name, 3) }
        assert_raises(TypeError) { Zlib.public_send(name, "a", "b") }
        assert_raises(ArgumentError) { Zlib.public_send(name, "a", 1, 2) }
      end

      define_method(:"test_#{name}_of_files") do
        path = write("file", Random.new(2).bytes(300_000))
        bytes = File.binread(path)
        File.open(path) { |file| assert_equal ::Zlib.public_send(name, bytes), Zlib.public_send(name, file) }
        File.open(path) { |file| assert_equal ::Zlib.public_send(name, bytes, 9), Zlib.public_send(name, file, 9) }
      end

      define_method(:"test_#{name}_combined") do
        one = Zlib.public_send(name, "a" * 1000)
        two = Zlib.public_send(name, "b" * 70_000)
        assert_equal Zlib.public_send(name, ("a" * 1000) + ("b" * 70_000)),
                     Zlib.public_send(:"#{name}_combine", one, two, 70_000)
      end
    end

    # As in newer versions of the stock library, an initial value is taken modulo 2^32.
    def test_negative_initial_values
      assert_equal 0xf136439b, Zlib.crc32("p", -305_419_897)
      assert_equal 0x97d1a9f7, Zlib.adler32("p", -305_419_897)
    end

    def test_table_and_version
      assert_equal ::Zlib.crc_table, Zlib.crc_table
      assert_equal ::Zlib.zlib_version, Zlib.zlib_version
      assert_match(/\A(libdeflate|zlib) \d/, Zlib.backend)
    end
  end
end
