# frozen_string_literal: true

module Spate
  module Server
    # Attacks with header blocks.
    module Attacks
      REQUEST = %w[:method GET :scheme http :path / :authority x].freeze

      attack "HPACK bomb", "CVE-2016-6581", "header_bytes at +32 a field" do
        # An entry of 4,000 bytes, then one byte for each reference to it.
        bomb = ->(peer, times) { peer.block(*REQUEST) + peer.block("x", "y" * 4000, how: :index) + ("\xbe".b * times) }
        variant("16,000 times 4 KB", :served) { |peer| peer.write(peer.frame(1, 5, 1, bomb.call(peer, 12_000))) }
        variant("on a hundred streams", :served) do |peer|
          peer.write(peer.frame(1, 5, 1, bomb.call(peer, 10)))
          peer.flood(100) { |n| peer.frame(1, 5, 2 * n + 3, peer.block(*REQUEST) + ("\xbe".b * 16_000)) }
        end
        variant("in trailers", %i[reset ENHANCE_YOUR_CALM]) do |peer|
          peer.write(peer.post(1,
                               "/read") + peer.frame(1, 5, 1,
                                                     peer.block("x", "y" * 4000, how: :index) + ("\xbe".b * 9000)))
        end
        variant("codes of five bits", :served) do |peer|
          peer.flood(50) { |n| peer.frame(1, 5, 2 * n + 1, peer.block(*REQUEST, "x", "a" * 20_000)) }
        end
      end

      attack "HTTP/2 bomb", "CVE-2026-49975", "header_fields, header_bytes at +32 a field; response_seconds" do
        variant("60,000 fields in as many bytes", :served) do |peer|
          peer.write(peer.frame(1, 1, 1, peer.block(*REQUEST)))
          peer.write(Array.new(3) { peer.frame(9, 0, 1, "\x90" * 16_384) }.join + peer.frame(9, 4, 1))
        end
        variant("129 fields", :served) do |peer|
          peer.write(peer.request(1, "/", *Array.new(125) { |n| ["x#{n}", ""] }.flatten))
        end
        variant("cookies in crumbs", :served) { |peer| peer.write(peer.request(1, "/", *(["cookie", ""] * 3000))) }
        variant("a hundred requests at all limits, and windows that stay closed", %i[reset CANCEL],
                slow: true) do |peer|
          peer.write(peer.settings([4, 0]))
          fields = Array.new(100) { |n| ["x#{n}", "y" * 250] }.flatten
          peer.flood(100) do |n|
            bytes = peer.block(":method", "GET", ":scheme", "http", ":path", "/big", *fields)
            parts = bytes.b.scan(/.{1,16384}/mn)
            parts.each_with_index.map do |part, i|
              peer.frame(i.zero? ? 1 : 9, (i.zero? ? 1 : 0) | (i == parts.size - 1 ? 4 : 0), 2 * n + 1, part)
            end.join
          end
          peer.wait(4) { peer.resets.size >= 100 }
        end
        variant("the same, on ten connections, for answers that never come", :served, peers: 10) do |peer|
          fields = Array.new(50) { |n| ["x#{n}", "y" * 100] }.flatten
          peer.flood(100) { |n| peer.request(2 * n + 1, "/never", *fields) }
        end
      end

      attack "zero-length headers", "CVE-2019-9516", "a request without a name is malformed; control_frames" do
        variant("an empty name", %i[reset PROTOCOL_ERROR]) { |peer| peer.write(peer.request(1, "/", "", "")) }
        variant("five thousand of them", :served) do |peer|
          peer.write(peer.frame(1, 5, 1, peer.block(*REQUEST) + ("\x40\x00\x00".b * 5000)))
        end
        variant("in every request", :ENHANCE_YOUR_CALM) do |peer|
          peer.flood(3000) { |n| peer.frame(1, 5, 2 * n + 1, peer.block(*REQUEST) + "\x00\x00\x00".b) }
        end
      end

      attack "malformed header blocks", nil, "RFC rule" do
        { "an integer without an end" => "\xff" * 8, "an index that no table has" => "\xff\x80\x01",
          "index 0" => "\x80", "a string that ends early" => "\x00\x05abc",
          "Huffman's EOS" => "\x00\x84\xff\xff\xff\xff\x00",
          "padding of zeros" => "\x00\x81\x00\x00" }.each do |name, bytes|
          variant(name, :COMPRESSION_ERROR) { |peer| peer.write(peer.frame(1, 5, 1, bytes.b)) }
        end
        variant("a string of 256 MB, announced", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.frame(1, 5, 1, "\x00\x7f\x80\xff\xff\x7f".b))
        end
      end
    end
  end
end
