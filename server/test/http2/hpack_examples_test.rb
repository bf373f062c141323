# frozen_string_literal: true

require "test_helper"

module Spate
  module Server
    # HpackDecoder and HpackEncoder handle all examples of RFC 7541, appendix C.
    class HpackExamplesTest < Minitest::Test
      DATE = "Mon, 21 Oct 2013 20:13:21 GMT"
      COOKIE = "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"
      REQUESTS = [
        [%w[:method GET :scheme http :path / :authority www.example.com], [%w[:authority www.example.com]], 57],
        [%w[:method GET :scheme http :path / :authority www.example.com cache-control no-cache],
         [%w[cache-control no-cache], %w[:authority www.example.com]], 110],
        [%w[:method GET :scheme https :path /index.html :authority www.example.com custom-key custom-value],
         [%w[custom-key custom-value], %w[cache-control no-cache], %w[:authority www.example.com]], 164]
      ].freeze
      LOCATION = %w[location https://www.example.com].freeze
      RESPONSES = [
        [[":status", "302", "cache-control", "private", "date", DATE, *LOCATION],
         [LOCATION, ["date", DATE], %w[cache-control private], %w[:status 302]], 222],
        [[":status", "307", "cache-control", "private", "date", DATE, *LOCATION],
         [%w[:status 307], LOCATION, ["date", DATE], %w[cache-control private]], 222],
        [[":status", "200", "cache-control", "private", "date", DATE.sub(":21 ", ":22 "), *LOCATION,
          "content-encoding", "gzip", "set-cookie", COOKIE],
         [["set-cookie", COOKIE], %w[content-encoding gzip], ["date", DATE.sub(":21 ", ":22 ")]], 215]
      ].freeze

      # Long blocks stay on one line, to be compared with the RFC.
      # rubocop:disable Layout/LineLength
      PLAIN_REQUESTS = %w[
        828684410f7777772e6578616d706c652e636f6d 828684be58086e6f2d6361636865
        828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565
      ].freeze
      HUFFMAN_REQUESTS = %w[
        828684418cf1e3c2e5f23a6ba0ab90f4ff 828684be5886a8eb10649cbf 828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf
      ].freeze
      PLAIN_RESPONSES = %w[
        4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d
        4803333037c1c0bf
        88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31
      ].freeze
      HUFFMAN_RESPONSES = %w[
        488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3
        4883640effc1c0bf
        88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007
      ].freeze
      # rubocop:enable Layout/LineLength

      def decoder(size = 4096) = Native::HpackDecoder.new(size, 4096, 65_536, 100)

      def decode(decoder, hex)
        block = [hex].pack("H*")
        decoder.decode(block, 0, block.bytesize, nil)
      end

      def assert_decodes(blocks, expected, size)
        decoder = decoder(size)
        blocks.zip(expected) do |hex, (fields, table, table_size)|
          assert_equal fields, decode(decoder, hex)
          assert_equal table, decoder.table
          assert_equal table_size, decoder.table_size
        end
      end

      # C.1: the example integers, as table size updates.
      def test_integers
        decoder = decoder(1337)
        assert_empty decode(decoder, "2a")
        assert_empty decode(decoder, "3f9a0a")
        error = assert_raises(HTTP2::ConnectionError) { decode(decoder, "3f9b0a") }
        assert_equal HTTP2::ErrorCode::COMPRESSION_ERROR, error.code
      end

      # C.2
      def test_literals
        decoder = decoder()
        assert_equal %w[custom-key custom-header],
                     decode(decoder, "400a637573746f6d2d6b65790d637573746f6d2d686561646572")
        assert_equal [%w[custom-key custom-header]], decoder.table
        assert_equal 55, decoder.table_size
        assert_equal %w[:path /sample/path], decode(decoder, "040c2f73616d706c652f70617468")
        assert_empty decoder.never_indexed
        assert_equal %w[password secret], decode(decoder, "100870617373776f726406736563726574")
        assert_equal ["password"], decoder.never_indexed
        assert_equal %w[:method GET], decode(decoder, "82")
        assert_equal 55, decoder.table_size
      end

      # C.3 to C.6
      def test_requests_without_huffman = assert_decodes(PLAIN_REQUESTS, REQUESTS, 4096)
      def test_requests_with_huffman = assert_decodes(HUFFMAN_REQUESTS, REQUESTS, 4096)
      def test_responses_without_huffman = assert_decodes(PLAIN_RESPONSES, RESPONSES, 256)
      def test_responses_with_huffman = assert_decodes(HUFFMAN_RESPONSES, RESPONSES, 256)

      # The examples index all fields and use Huffman coding wherever it is shorter. The encoder can do the same.
      def test_encoding_requests
        encoder = Native::HpackEncoder.new(4096)
        HUFFMAN_REQUESTS.zip(REQUESTS) do |hex, (fields, table, _)|
          assert_equal hex, encoder.encode(fields, :index).unpack1("H*")
          assert_equal table, encoder.table
        end
      end

      # The first block announces the table of 256 bytes: 3fe101. "307" takes three bytes with and without Huffman
      # coding; the encoder sends it plain.
      def test_encoding_responses
        encoder = Native::HpackEncoder.new(256)
        blocks = RESPONSES.map { |fields, _, _| encoder.encode(fields, :index).unpack1("H*") }
        expected = ["3fe101#{HUFFMAN_RESPONSES[0]}", HUFFMAN_RESPONSES[1].sub("4883640eff", "4803333037"),
                    HUFFMAN_RESPONSES[2]]
        assert_equal expected, blocks
      end
    end
  end
end
