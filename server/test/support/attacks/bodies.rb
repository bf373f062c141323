# frozen_string_literal: true

module Spate
  module Server
    # Attacks with request bodies, trailers, many valid requests, and stream identifiers.
    module Attacks
      attack "content-length mismatch", nil, "RFC rule" do
        variant("fewer bytes", %i[reset PROTOCOL_ERROR]) do |peer|
          peer.write(peer.post(1, "/read", "content-length", "9") + peer.frame(0, 1, 1, "x"))
        end
        variant("more bytes", %i[reset PROTOCOL_ERROR]) do |peer|
          peer.write(peer.post(1, "/read", "content-length", "1") + peer.frame(0, 1, 1, "xx"))
        end
        variant("two that differ", %i[reset PROTOCOL_ERROR]) do |peer|
          peer.write(peer.post(1, "/read", *%w[content-length 1 content-length 2]))
        end
        variant("2^64", %i[reset PROTOCOL_ERROR]) do |peer|
          peer.write(peer.post(1, "/read", "content-length", (2**64).to_s))
        end
      end

      attack "unread bodies", nil, "stream_window, connection_window" do
        variant("the whole window, on four connections", :served, peers: 4) do |peer|
          8.times { |n| peer.write(peer.post(2 * n + 1, "/unread")) }
          peer.flood(500) { |n| peer.frame(0, 0, 2 * (n / 63) + 1, "x" * 16_384) }
        end
        variant("in parts of 40 bytes", :served) do |peer|
          peer.write(peer.post(1, "/unread"))
          peer.flood(25_000) { peer.frame(0, 0, 1, "x" * 40) }
        end
      end

      attack "trailers flood", nil, "header_fields, header_bytes; control_frames" do
        variant("more than the limit", %i[reset ENHANCE_YOUR_CALM]) do |peer|
          peer.write(peer.post(1, "/read") + peer.frame(1, 5, 1, peer.block(*Array.new(500) do |n|
                                                                              ["x#{n}", "y"]
                                                                            end.flatten)))
        end
        variant("repeatedly", :ENHANCE_YOUR_CALM) do |peer|
          trailers = peer.block(*Array.new(200) { |n| ["x#{n}", "y"] }.flatten)
          peer.flood(2000) { |n| peer.post(2 * n + 1, "/read") + peer.frame(1, 5, 2 * n + 1, trailers) }
        end
        variant("without END_STREAM", :ENHANCE_YOUR_CALM) do |peer|
          peer.flood(3000) { |n| peer.post(2 * n + 1, "/read") + peer.frame(1, 4, 2 * n + 1, peer.block("x", "y")) }
        end
      end

      attack "floods of valid input", nil, "frames_per_tick, and 5 ms" do
        head = ->(peer, n) { peer.request(2 * n + 1, "/", verb: "HEAD") }
        variant("requests", :served) { |peer| peer.flood(10_000) { |n| head.call(peer, n) } }
        variant("requests on ten connections", :served, peers: 10) do |peer|
          peer.flood(1500) { |n| head.call(peer, n) }
        end
        variant("small parts of a body", :served) do |peer|
          peer.write(peer.post(1, "/read"))
          peer.flood(20_000) { peer.frame(0, 0, 1, "x" * 40) }
        end
        variant("two hundred connections", :served, peers: 200) { |peer| peer.write(peer.request(1)) }
      end

      attack "identifiers", nil, "RFC rule" do
        variant("even", :PROTOCOL_ERROR) { |peer| peer.write(peer.request(2)) }
        variant("falling", :PROTOCOL_ERROR) { |peer| peer.write(peer.request(101) + peer.request(3)) }
        variant("the highest", :served) { |peer| peer.write(peer.request(2**31 - 1)) }
      end
    end
  end
end
