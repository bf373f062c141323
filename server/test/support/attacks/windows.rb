# frozen_string_literal: true

module Spate
  module Server
    # Attacks on flow control: floods of WINDOW_UPDATE, and windows that stay small or closed.
    module Attacks
      attack "WINDOW_UPDATE flood", nil, "control_frames, not counting WINDOW_UPDATEs caused by our DATA" do
        variant("of the connection", :ENHANCE_YOUR_CALM) { |peer| peer.flood(20_000) { peer.word(8, 0, 1) } }
        variant("of a stream", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.request(1, "/never"))
          peer.flood(20_000) { peer.word(8, 1, 1) }
        end
        variant("of a stream that is closed", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.request(1))
          peer.flood(20_000) { peer.word(8, 1, 1) }
        end
      end

      attack "window overflow", nil, "2^31-1" do
        variant("of the connection", :FLOW_CONTROL_ERROR) { |peer| peer.write(peer.word(8, 0, 2**31 - 1)) }
        variant("of a stream", %i[reset FLOW_CONTROL_ERROR]) do |peer|
          peer.write(peer.request(1, "/never") + peer.word(8, 1, 2**31 - 1))
        end
        variant("by INITIAL_WINDOW_SIZE", :FLOW_CONTROL_ERROR) do |peer|
          peer.write(peer.request(1, "/never") + peer.word(8, 1, 1) + peer.settings([4, 2**31 - 1]))
        end
        variant("INITIAL_WINDOW_SIZE of 2^31", :FLOW_CONTROL_ERROR) { |peer| peer.write(peer.settings([4, 2**31])) }
        variant("DATA past the connection's window", :FLOW_CONTROL_ERROR) do |peer|
          10.times { |n| peer.write(peer.post(2 * n + 1, "/unread")) }
          peer.flood(600) { |n| peer.frame(0, 0, 2 * (n / 60) + 1, "x" * 16_384) }
        end
        variant("DATA past a stream's window", %i[reset FLOW_CONTROL_ERROR]) do |peer|
          peer.write(peer.post(1, "/unread"))
          peer.flood(65) { peer.frame(0, 0, 1, "x" * 16_384) }
        end
      end

      attack "flapping windows", nil, "control_frames" do
        variant("with a hundred responses that wait", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.settings([4, 0]) + (0..99).map { |n| peer.request(2 * n + 1, "/big") }.join)
          peer.flood(5000) { |n| peer.settings([4, n.even? ? 1 : 0]) }
        end
        variant("far below zero", :ENHANCE_YOUR_CALM) do |peer|
          peer.write((0..99).map { |n| peer.request(2 * n + 1, "/never") }.join)
          peer.flood(5000) { |n| peer.settings([4, n.even? ? 2**31 - 1 : 0]) }
        end
      end

      attack "data dribble", "CVE-2019-9511", "control_frames: a window of a few bytes earns no WINDOW_UPDATE" do
        variant("a byte at a time", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.settings([4, 1]) + peer.request(1, "/big"))
          peer.flood(20_000) { peer.word(8, 1, 1) }
        end
        variant("a byte at a time, a hundred responses", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.settings([4, 1]) + (0..99).map { |n| peer.request(2 * n + 1, "/big") }.join)
          peer.flood(20_000) { |n| peer.word(8, 2 * (n % 100) + 1, 1) }
        end
        variant("a byte of the connection's window at a time", :ENHANCE_YOUR_CALM) do |peer|
          peer.write(peer.settings([4, 1 << 20]) + peer.request(1, "/big"))
          peer.flood(20_000) { peer.word(8, 0, 1) }
        end
      end

      attack "internal data buffering", "CVE-2019-9517", "a write buffer of 320 KB a connection; response_seconds" do
        wide = ->(peer) { peer.settings([4, 2**31 - 1]) + peer.word(8, 0, 2**30) }
        variant("a hundred unread large responses", :ENHANCE_YOUR_CALM, slow: true) do |peer|
          peer.silent = true
          peer.write(wide.call(peer) + (0..99).map { |n| peer.request(2 * n + 1, "/big") }.join)
          sleep 4
        end
        variant("the same on twenty connections", :ENHANCE_YOUR_CALM, slow: true, peers: 20) do |peer|
          peer.silent = true
          peer.write(wide.call(peer) + (0..99).map { |n| peer.request(2 * n + 1, "/big") }.join)
          sleep 4
        end
        variant("more requests than responses fit", :any, slow: true) do |peer|
          peer.silent = true
          peer.flood(50_000) { |n| peer.request(2 * n + 1) }
        end
      end
    end
  end
end
