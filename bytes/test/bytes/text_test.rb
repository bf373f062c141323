# frozen_string_literal: true

require "test_helper"
require "spate/bytes"
require "base64"

module Spate
  # Uint8Array converts to and from hexadecimal and base64 as in ECMA-262 23.2.6.
  class BytesTextTest < Minitest::Test
    def test_there_and_back
      100.times do |length|
        bytes = Random.bytes(length)
        array = Uint8Array.new(ArrayBuffer.from(bytes))
        assert_equal bytes.unpack1("H*"), array.to_hex
        assert_equal Base64.strict_encode64(bytes), array.to_base64
        assert_equal Base64.urlsafe_encode64(bytes, padding: false),
                     array.to_base64(alphabet: "base64url", omit_padding: true)
        assert_equal array, Uint8Array.from_hex(array.to_hex.upcase)
        assert_equal array, Uint8Array.from_base64(array.to_base64)
        assert_equal array, Uint8Array.fromBase64(array.toBase64(alphabet: :base64url), alphabet: :base64url)
      end
    end

    def test_space_between_digits
      assert_equal "hello", Uint8Array.from_base64(" aGV\nsbG8 = ").bytes
    end

    def test_last_chunks
      assert_equal "h", Uint8Array.from_base64("aA").bytes
      assert_equal "h", Uint8Array.from_base64("aB").bytes
      assert_equal "hel", Uint8Array.from_base64("aGVsbG", last_chunk_handling: "stop-before-partial").bytes
      ["aA", "aB==", "aGVsb"].each do |text|
        assert_raises(ArgumentError, text) { Uint8Array.from_base64(text, last_chunk_handling: "strict") }
      end
      assert_equal "h", Uint8Array.from_base64("aA==", last_chunk_handling: :strict).bytes
    end

    def test_invalid_base64
      ["a", "a===", "=", "aA=", "aA==b", "aA=b", "a-_b", "aéb=", "aGVsbG8=="].each do |text|
        assert_raises(ArgumentError, text) { Uint8Array.from_base64(text) }
      end
      assert_raises(ArgumentError) { Uint8Array.from_base64("a+/b", alphabet: "base64url") }
      assert_raises(ArgumentError) { Uint8Array.from_base64("", alphabet: "base32") }
      assert_raises(ArgumentError) { Uint8Array.from_base64("", strict: true) }
      assert_raises(TypeError) { Uint8Array.from_base64(nil) }
      error = assert_raises(ArgumentError) { Uint8Array.from_base64("aG!s") }
      assert_equal "not a base64 digit at character 2 of 4", error.message
    end

    def test_invalid_hex
      %w[a 0g g0 0x00 zz].each { |text| assert_raises(ArgumentError, text) { Uint8Array.from_hex(text) } }
    end

    def test_into_an_array
      array = Uint8Array.new(4)
      assert_equal({ read: 4, written: 3 }, array.set_from_base64("aGVsbG8="))
      assert_equal "hel\0", array.bytes
      assert_equal({ read: 8, written: 4 }, array.set_from_hex("0102030405"))
      assert_equal({ read: 0, written: 0 }, Uint8Array.new(0).set_from_base64("!"))
      assert_raises(ArgumentError) { array.set_from_hex("ffzz") }
      assert_equal [255, 2, 3, 4], array.to_a, "what came before the error is written"
      assert_raises(FrozenError) { array.freeze.set_from_hex("00") }
    end
  end
end
