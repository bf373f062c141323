# frozen_string_literal: true

module Spate
  module Server
    # Attacks with streams that are opened only to be reset, by the client or by the server.
    module Attacks
      attack "rapid reset", "CVE-2023-44487", "control_frames" do
        variant("each request is reset at once", :ENHANCE_YOUR_CALM) do |peer|
          peer.flood(5000) { |n| peer.request(2 * n + 1, "/never") + peer.word(3, 2 * n + 1, 8) }
        end
        variant("of large responses", :ENHANCE_YOUR_CALM) do |peer|
          peer.flood(5000) { |n| peer.request(2 * n + 1, "/big") + peer.word(3, 2 * n + 1, 8) }
        end
        variant("a hundred requests, then a hundred resets", :ENHANCE_YOUR_CALM) do |peer|
          peer.flood(60) do |n|
            streams = (0..99).map { |i| 2 * (n * 100 + i) + 1 }
            streams.map { |stream| peer.request(stream, "/never") }.join + streams.map { |s| peer.word(3, s, 8) }.join
          end
        end
        variant("of requests whose body is still to come", :ENHANCE_YOUR_CALM) do |peer|
          peer.flood(5000) { |n| peer.post(2 * n + 1, "/unread") + peer.word(3, 2 * n + 1, 0) }
        end
        variant("of streams that are closed already", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.request(1))
          peer.flood(5000) { peer.word(3, 1, 8) }
        end
        variant("on ten connections", :ENHANCE_YOUR_CALM, peers: 10) do |peer|
          peer.flood(1500) { |n| peer.request(2 * n + 1, "/never") + peer.word(3, 2 * n + 1, 8) }
        end
      end

      attack "made you reset", "CVE-2025-8671", "control_frames" do
        { "WINDOW_UPDATE by 0" => ->(peer, id) { peer.request(id, "/never") + peer.word(8, id, 0) },
          "a stream's window past 2^31-1" =>
            ->(peer, id) { peer.request(id, "/never") + peer.word(8, id, 2**31 - 1) },
          "PRIORITY of 4 bytes" => ->(peer, id) { peer.request(id, "/never") + peer.frame(2, 0, id, "\0" * 4) },
          "a stream that depends on itself" =>
            ->(peer, id) { peer.request(id, "/never") + peer.frame(2, 0, id, [id].pack("Nx")) },
          "DATA after END_STREAM" => ->(peer, id) { peer.request(id, "/never") + peer.frame(0, 0, id, "x") },
          "a second header block" =>
            ->(peer, id) { peer.post(id, "/never") + peer.frame(1, 4, id, peer.block("x", "y")) },
          "more DATA than content-length" =>
            ->(peer, id) { peer.post(id, "/never", "content-length", "1") + peer.frame(0, 0, id, "xx") },
          "a name with capitals" => ->(peer, id) { peer.request(id, "/", "X-Up", "1") },
          "an empty name" => ->(peer, id) { peer.request(id, "/", "", "1") },
          "requests sent before they are allowed" => ->(peer, id) { peer.request(id, "/never") } }.each do |name, bytes|
          variant(name, :ENHANCE_YOUR_CALM) { |peer| peer.flood(5000) { |n| bytes.call(peer, 2 * n + 1) } }
        end
      end
    end
  end
end
