# frozen_string_literal: true

require "test_helper"

module Spate
  module Server
    # HpackDecoder rejects blocks that violate RFC 7541, and limits strings, fields and memory. HpackEncoder announces
    # changes of the table size.
    class HpackTest < Minitest::Test
      include HTTP2

      def decoder(table: 4096, string: 4096, bytes: 65_536, fields: 100)
        Native::HpackDecoder.new(table, string, bytes, fields)
      end

      def decode(hex, decoder = self.decoder)
        block = [hex].pack("H*")
        decoder.decode(block, 0, block.bytesize, nil)
      end

      def assert_refused(hex, reason, code: ErrorCode::COMPRESSION_ERROR, decoder: nil)
        decoder ||= self.decoder
        error = assert_raises(ConnectionError, hex) { decode(hex, decoder) }
        assert_match reason, error.message
        assert_equal code, error.code
      end

      def test_an_index_that_no_table_has
        assert_refused "80", /invalid table index/ # section 6.1
        assert_refused "be", /invalid table index/ # 62 in an empty table
        assert_refused "7f00", /invalid table index/ # 63 as a name
      end

      def test_integers_that_are_too_long
        assert_refused "ffffffffffff", /too long/
        assert_refused "ff8080808000", /too long/
        assert_refused "3fffffffffff", /too long/
        assert_refused "ff80", /ends within/
      end

      def test_blocks_that_end_early
        whole = "400a637573746f6d2d6b65790d637573746f6d2d686561646572"
        2.step(whole.size - 2, 2) { |length| assert_refused whole[0, length], /ends within/ }
      end

      # Section 5.2: no EOS, and less than a byte of padding, all ones.
      def test_huffman
        assert_equal %w[:path a], decode("04811f")
        assert_refused "048118", /Huffman/ # "a", then zeros
        assert_refused "04821fff", /Huffman/ # eleven bits of padding
        assert_refused "0481ff", /Huffman/ # eight bits of padding
        assert_refused "0484ffffffff", /Huffman/ # EOS
        assert_equal [":path", ""], decode("0480")
      end

      def test_every_byte_through_huffman
        all = (0..255).map(&:chr).join.b
        encoder = Native::HpackEncoder.new(4096)
        256.times do |byte|
          text = "aaaaaaaaaaaaaaaaaaaa" + byte.chr.b
          block = encoder.encode(["x", text], :plain)
          assert_equal text, decoder.decode(block, 0, block.bytesize, nil)[1].b
        end
        block = encoder.encode(["x", all + "e" * 2000], :plain)
        assert_operator block.bytesize, :<, 2256
        assert_equal all + "e" * 2000, decoder.decode(block, 0, block.bytesize, nil)[1].b
      end

      # A table size update is rejected after a field, above the setting, or if a required one is missing: sections 4.2
      # and 6.3.
      def test_table_size_updates
        assert_refused "823fe11f", /update/ # after a field
        assert_refused "3fe21f", /update/ # 4097
        decoder = decoder()
        decoder.settings(100)
        assert_refused "82", /update/, decoder: decoder # missing update
        decoder = decoder()
        decoder.settings(100)
        assert_equal %w[:method GET], decode("3f4582", decoder)
      end

      # Section 4.4: adding the new entry evicts the entry whose name it uses.
      def test_a_name_of_an_entry_that_goes
        decoder = decoder(table: 80)
        decode("400461626364" + "20" + "31" * 32, decoder)
        assert_equal 68, decoder.table_size
        assert_equal ["abcd", "2" * 33], decode("7e21" + "32" * 33, decoder)
        assert_equal [["abcd", "2" * 33]], decoder.table
        decode("7e40" + "33" * 64, decoder)
        assert_empty decoder.table
      end

      # Beyond the limits, fields are added to the table but not returned. So an HPACK bomb (CVE-2016-6581) costs only
      # its own bytes.
      def test_limits_of_a_block
        decoder = decoder(bytes: 10_000, fields: 100)
        fields = decode("4001617f8117" + "62" * (127 + 23 + 128 - 6) + "be" * 5000, decoder)
        assert_predicate decoder, :over?
        assert_operator fields.sum(&:bytesize) + 16 * fields.size, :<=, 10_000
        assert_equal 1, decoder.table.size
        decoder = decoder(fields: 3)
        assert_equal 6, decode("82" * 4, decoder).size
        assert_predicate decoder, :over?
        assert_equal 6, decode("82" * 3, decoder).size
        refute_predicate decoder, :over?
      end

      def test_strings_that_are_too_long
        refused = { code: ErrorCode::ENHANCE_YOUR_CALM, decoder: decoder(string: 5) }
        assert_refused "040661" + "62" * 5, /too long/, **refused
        assert_refused "048518c6318c63", /too long/, **refused
        assert_equal %w[:path 12345], decode("04053132333435", decoder(string: 5))
      end

      def test_indexed_fields
        encoder = Native::HpackEncoder.new(4096)
        encoder.encode(%w[:status 200 server spate content-length 77 etag x authorization secret set-cookie a=b])
        assert_equal [%w[server spate]], encoder.table
        decoder = decoder()
        decode(encoder.encode(%w[authorization secret set-cookie a=b content-length 3]).unpack1("H*"), decoder)
        assert_equal %w[authorization set-cookie], decoder.never_indexed
        encoder.settings(0)
        assert_equal "20", encoder.encode([]).unpack1("H*")
        assert_empty encoder.table
      end

      # If the table size changed twice between blocks, both sizes are announced (section 4.2).
      def test_the_smallest_size_is_told_too
        encoder = Native::HpackEncoder.new(4096)
        encoder.encode(%w[a b])
        encoder.settings(64)
        encoder.settings(1 << 20)
        assert_equal "3f213fe11f", encoder.encode([]).unpack1("H*")
      end

      # A decoder uses little memory after many insertions and evictions.
      def test_memory_of_a_long_connection
        require "objspace"
        decoder = decoder(string: 9000)
        encoder = Native::HpackEncoder.new(4096)
        20_000.times do |index|
          block = encoder.encode(["x-#{index % 7}", index.to_s * (1 + index % 300)], :index)
          decoder.decode(block, 0, block.bytesize, nil)
        end
        assert_equal encoder.table, decoder.table
        assert_operator ObjectSpace.memsize_of(decoder), :<, 30_000
        assert_operator ObjectSpace.memsize_of(encoder), :<, 30_000
      end
    end
  end
end
