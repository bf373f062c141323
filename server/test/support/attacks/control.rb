# frozen_string_literal: true

module Spate
  module Server
    # Attacks with frames that control the connection.
    module Attacks
      attack "PING flood", "CVE-2019-9512", "control_frames" do
        variant("PINGs", :ENHANCE_YOUR_CALM) { |peer| peer.flood(20_000) { peer.frame(6, 0, 0, "12345678") } }
        variant("unsolicited answers", :ENHANCE_YOUR_CALM) do |peer|
          peer.flood(20_000) do
            peer.frame(6, 1, 0, "12345678")
          end
        end
        variant("with unread answers", :ENHANCE_YOUR_CALM) do |peer|
          peer.silent = true
          peer.flood(20_000) { peer.frame(6, 0, 0, "12345678") }
        end
        variant("on ten connections", :ENHANCE_YOUR_CALM, peers: 10) do |peer|
          peer.flood(5000) { peer.frame(6, 0, 0, "12345678") }
        end
      end

      attack "SETTINGS flood", "CVE-2019-9515", "control_frames" do
        variant("empty", :ENHANCE_YOUR_CALM) { |peer| peer.flood(20_000) { peer.frame(4) } }
        variant("full", :ENHANCE_YOUR_CALM) do |peer|
          frame = peer.settings(Array.new(60) { |n| [0xf000 + n, n] })
          peer.flood(5000) { frame }
        end
        variant("a thousand parameters in one", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.settings(*Array.new(1000) { |n| [4, 65_535 + n] }))
        end
        variant("acknowledgements", :ENHANCE_YOUR_CALM) { |peer| peer.flood(20_000) { peer.frame(4, 1) } }
      end

      attack "changes of the table's size", nil, "control_frames; a table of at most 4096 bytes" do
        variant("as large as possible", :served) { |peer| peer.write(peer.settings([1, 2**32 - 1])) }
        variant("alternating, with requests", :ENHANCE_YOUR_CALM) do |peer|
          peer.flood(5000) { |n| peer.settings([1, n.even? ? 0 : 4096]) + peer.request(2 * n + 1) }
        end
        variant("all in one frame", :ENHANCE_YOUR_CALM) do |peer|
          frame = peer.settings(Array.new(64) { |n| [1, n.even? ? 0 : 65_536] })
          peer.flood(5000) { frame }
        end
        variant("many in one header block", :served) do |peer|
          peer.flood(20) do |n|
            peer.frame(1, 5, 2 * n + 1, ("\x20" * 8000) + peer.block(*%w[:method GET :scheme http :path /]))
          end
        end
        variant("larger than allowed", :COMPRESSION_ERROR) do |peer|
          peer.write(peer.frame(1, 5, 1, "\x3f\xe2\x1f\x82\x86\x84"))
        end
      end

      attack "resource loop", "CVE-2019-9513", "control_frames" do
        variant("PRIORITY on idle streams", :ENHANCE_YOUR_CALM) do |peer|
          peer.flood(20_000) { |n| peer.frame(2, 0, 2 * n + 1, [n.even? ? 0 : 2 * n - 1, 15].pack("NC")) }
        end
        variant("alternating PRIORITY on one stream", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.request(1, "/never"))
          peer.flood(20_000) { |n| peer.frame(2, 0, 1, [2 * (n % 50) + 3, n % 256].pack("NC")) }
        end
      end

      attack "PRIORITY_UPDATE flood", nil, "control_frames; streams" do
        update = ->(peer, id, value) { peer.frame(16, 0, 0, [id].pack("N") + value) }
        variant("of one stream", :ENHANCE_YOUR_CALM) do |peer|
          peer.flood(20_000) { |n| update.call(peer, 1, "u=#{n % 8}") }
        end
        variant("of responses that wait", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.settings([4, 0]) + (0..99).map { |n| peer.request(2 * n + 1, "/big") }.join)
          peer.flood(20_000) { |n| update.call(peer, 2 * (n % 100) + 1, "u=#{n % 8}, i") }
        end
        variant("of streams to come", :PROTOCOL_ERROR) do |peer|
          peer.flood(200) do |n|
            update.call(peer, 2 * n + 1, "u=1")
          end
        end
        variant("with values of 16 KB", :ENHANCE_YOUR_CALM) do |peer|
          peer.flood(1500) do
            update.call(peer, 1, "u=1," * 4000)
          end
        end
      end

      attack "GOAWAY flood", nil, "control_frames" do
        variant("GOAWAYs", :ENHANCE_YOUR_CALM) { |peer| peer.flood(20_000) { peer.frame(7, 0, 0, "\0" * 8) } }
      end
    end
  end
end
