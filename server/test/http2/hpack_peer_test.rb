# frozen_string_literal: true

require "test_helper"
require "support/python"

module Spate
  module Server
    # Exchanges random fields with python3-hpack in both directions. Both dynamic tables must stay equal.
    class HpackPeerTest < Minitest::Test
      BLOCKS = 300
      NAMES = %w[:status content-type cache-control etag date x-a x-custom-name set-cookie authorization vary server]
              .freeze
      SIZES = [4096, 0, 64, 200, 4096, 1000].freeze

      def setup
        reason = Python.missing("hpack")
        skip reason if reason
        @peer = Python.new("hpack_peer.py")
        @random = Random.new(Spate.test_seed)
      end

      def teardown
        @peer&.close
        super
      end

      def value
        letters = [*"a".."z", *"0".."9", " ", "/", "ä", "\u0001", "~"]
        return %w[200 text/html no-cache gzip].sample(random: @random) if @random.rand(2).zero?

        Array.new(@random.rand(@random.rand(20).zero? ? 900 : 30)) { letters.sample(random: @random) }.join
      end

      def fields = Array.new(@random.rand(12)) { [NAMES.sample(random: @random), value] }

      def test_peer_decodes_our_blocks
        encoder = Native::HpackEncoder.new(4096)
        BLOCKS.times do |index|
          encoder.settings(@peer.call("allowed_size", SIZES[index / 50 % SIZES.size])) if (index % 50).zero?
          sent = fields
          policy = [nil, nil, :index, :plain, :never].sample(random: @random)
          received = @peer.call("decode", encoder.encode(sent.flatten, policy).unpack1("H*"))
          assert_equal sent, received.map { |name, value, _| [name, value] }
          secret = received.select { |name, _, never| never || %w[authorization set-cookie].include?(name) }
          assert_equal secret.map(&:last).all?, true unless %i[index plain].include?(policy)
        end
      end

      def test_decodes_blocks_of_the_peer
        decoder = Native::HpackDecoder.new(4096, 4096, 65_536, 100)
        BLOCKS.times do |index|
          @peer.call("table_size", SIZES[index / 50 % SIZES.size]) if (index % 50).zero?
          sent = fields.map { |name, value| [name, value, @random.rand(5).zero?] }
          block = [@peer.call("encode", sent)].pack("H*")
          assert_equal sent.flat_map { |name, value, _| [name, value] }, decoder.decode(block, 0, block.bytesize, nil)
          # The peer sends fields in its table by index, even secret ones.
          assert_empty decoder.never_indexed - sent.select(&:last).map(&:first)
        end
      end
    end
  end
end
