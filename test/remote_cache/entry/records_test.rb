# frozen_string_literal: true

require "remote_cache/entries"

class RecordsTest < Minitest::Test
  include CacheEntries

  Records = RemoteCache::Entry::Records

  def test_round_trip
    records = Records.new("SPATEIN1\0\xff".b, "".b, "gem\té\n".b)

    assert_equal records, Records.unpack(records.pack)
    assert_equal records.pack, records.dup.pack
  end

  def test_invalid_records_are_malformed
    packed = Records.new("inputs", "needs", "facts").pack
    bomb = Zlib::Deflate.deflate("0 0 #{64 << 20}\n#{"\0" * (64 << 20)}")
    assert_operator bomb.bytesize, :<, Records::PACKED

    [packed.chop, "#{packed}x", "", "x" * 99, bomb, "x" * (Records::PACKED + 1), Zlib::Deflate.deflate("1 2 3\nabc"),
     Zlib::Deflate.deflate("6 0 0\n6 letters"), Zlib::Deflate.deflate("none")].each do |bytes|
      assert_raises(RemoteCache::Malformed) { Records.unpack(bytes) }
    end
    random = Random.new(3)
    300.times do
      copy = packed.dup.tap { |bytes| bytes.setbyte(random.rand(bytes.bytesize), random.rand(256)) }
      Records.unpack(copy)
    rescue RemoteCache::Malformed
      next
    end
  end

  def test_oversized_records_are_not_packed
    assert_raises(RemoteCache::Refused) { Records.new(Random.bytes(2 << 20), "", "").pack }
  end
end
