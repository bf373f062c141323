# frozen_string_literal: true

module Spate
  module Server
    # Attacks with empty or invalid frames.
    module Attacks
      attack "empty frames", "CVE-2019-9518", "control_frames" do
        variant("DATA", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.post(1, "/read"))
          peer.flood(20_000) { peer.frame(0, 0, 1) }
        end
        variant("DATA that is only padding", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.post(1, "/read"))
          peer.flood(5000) { peer.frame(0, 8, 1, "\xff#{"\0" * 255}") }
        end
        variant("HEADERS", :ENHANCE_YOUR_CALM) { |peer| peer.flood(20_000) { |n| peer.frame(1, 5, 2 * n + 1) } }
        variant("CONTINUATION", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.frame(1, 1, 1))
          peer.flood(20_000) { peer.frame(9, 0, 1) }
        end
        variant("DATA of one byte", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.post(1, "/read"))
          peer.flood(60_000) { peer.frame(0, 0, 1, "x") }
        end
      end

      attack "CONTINUATION flood", "CVE-2024-27316", "header_block, continuations" do
        variant("of one byte", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.frame(1, 1, 1, "\x82"))
          peer.flood(20_000) { peer.frame(9, 0, 1, "\x86") }
        end
        variant("of 16 KB", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.frame(1, 1, 1, "\x82"))
          peer.flood(500) { peer.frame(9, 0, 1, "\x86" * 16_384) }
        end
        variant("on fifty connections, each just within the limits", :served, peers: 50) do |peer|
          peer.write(peer.frame(1, 1, 1, "\x82"))
          peer.flood(3) { peer.frame(9, 0, 1, "\x86" * 16_384) }
          peer.write(peer.frame(9, 4, 1))
        end
      end

      attack "unknown frames", nil, "control_frames" do
        variant("empty", :ENHANCE_YOUR_CALM) { |peer| peer.flood(20_000) { peer.frame(0xbe) } }
        variant("of 16 KB", :ENHANCE_YOUR_CALM) { |peer| peer.flood(1500) { peer.frame(0xbe, 0, 1, "x" * 16_384) } }
        variant("of all types", :ENHANCE_YOUR_CALM) do |peer|
          peer.flood(20_000) do |n|
            peer.frame(17 + n % 200, n % 256, n)
          end
        end
      end

      attack "invalid frames", nil, "RFC rule" do
        variant("longer than allowed", :FRAME_SIZE_ERROR) { |peer| peer.write(peer.frame(0, 0, 1, "x" * 16_385)) }
        variant("of 16 MB, announced", :FRAME_SIZE_ERROR) { |peer| peer.write("\xff\xff\xff\0\0\0\0\0\1".b) }
        variant("PUSH_PROMISE", :PROTOCOL_ERROR) { |peer| peer.write(peer.frame(5, 4, 1, "\0\0\0\2\x82")) }
        variant("random bytes", :any) { |peer| peer.flood(2000) { |n| Random.new(n).bytes(64) } }
        variant("random types and flags", :any) do |peer|
          random = Random.new(9)
          peer.flood(5000) do
            peer.frame(random.rand(12), random.rand(256), random.rand(9), random.bytes(random.rand(40)))
          end
        end
      end
    end
  end
end
