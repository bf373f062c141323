# frozen_string_literal: true

module Spate
  module Server
    # Attacks by slow clients.
    module Attacks
      attack "slow connection starts", nil, "head_seconds, settings_seconds" do
        variant("half of the preface", :closed, slow: true) { |peer| peer.bare.write(HTTP2::PREFACE[0, 12]) }
        variant("the preface without SETTINGS", :PROTOCOL_ERROR, slow: true) { |peer| peer.bare.write(HTTP2::PREFACE) }
        variant("the preface, a byte at a time", :closed, slow: true) do |peer|
          peer.bare.dribble(HTTP2::PREFACE, 0.2, 5)
        end
        variant("SETTINGS that are not acknowledged", :SETTINGS_TIMEOUT, slow: true) do |peer|
          peer.bare.write(HTTP2::PREFACE + peer.frame(4))
        end
        variant("half of a frame's header", :ENHANCE_YOUR_CALM, slow: true) { |peer| peer.write("\0\0\5\1") }
      end

      attack "slow headers", nil, "head_seconds" do
        variant("a byte at a time", :ENHANCE_YOUR_CALM, slow: true) do |peer|
          peer.dribble(peer.request(1, "/", "x", "y" * 100), 0.1, 5)
        end
        variant("CONTINUATIONs, one at a time", :ENHANCE_YOUR_CALM, slow: true) do |peer|
          peer.write(peer.frame(1, 1, 1, "\x82"))
          peer.every(0.4, 10) { peer.frame(9, 0, 1, "\x86") }
        end
        variant("a block that does not end", :ENHANCE_YOUR_CALM, slow: true) do |peer|
          peer.write(peer.frame(1, 1, 1, "\x82"))
        end
      end

      attack "slow bodies", nil, "body_seconds, minimum_rate" do
        variant("none at all", %i[reset CANCEL], slow: true) { |peer| peer.write(peer.post(1, "/read")) }
        variant("a hundred at once", %i[reset CANCEL], slow: true) do |peer|
          peer.flood(100) { |n| peer.post(2 * n + 1, "/read") }
        end
        variant("a byte at a time", %i[reset CANCEL], slow: true) do |peer|
          peer.write(peer.post(1, "/read"))
          peer.every(0.2, 15) { peer.frame(0, 0, 1, "x") }
        end
        variant("within one frame", :ENHANCE_YOUR_CALM, slow: true) do |peer|
          peer.write(peer.post(1, "/read"))
          peer.dribble(peer.frame(0, 0, 1, "x" * 1000), 0.1, 5)
        end
      end

      attack "slow reads", nil, "response_seconds, minimum_rate" do
        variant("a stream's window that stays closed", %i[reset CANCEL], slow: true) do |peer|
          peer.write(peer.settings([4, 0]) + peer.request(1, "/big"))
        end
        variant("a hundred of them", %i[reset CANCEL], slow: true) do |peer|
          peer.write(peer.settings([4, 0]))
          peer.flood(100) { |n| peer.request(2 * n + 1, "/big") }
        end
        variant("a window of one byte, opened now and then", %i[reset CANCEL], slow: true) do |peer|
          peer.write(peer.settings([4, 1]) + peer.request(1, "/big"))
          peer.every(0.2, 15) { peer.word(8, 1, 1) }
        end
        variant("the connection's window stays closed", :ENHANCE_YOUR_CALM, slow: true) do |peer|
          peer.write(peer.settings([4, 1 << 20]) + peer.request(1, "/big"))
        end
        variant("a socket that is not read", :ENHANCE_YOUR_CALM, slow: true) do |peer|
          peer.silent = true
          peer.write(peer.settings([4, 2**31 - 1]) + peer.word(8, 0, 2**30))
          peer.flood(20) { |n| peer.request(2 * n + 1, "/big") }
          sleep 4
        end
      end

      attack "idle connections", nil, "idle, without requests" do
        variant("PINGs", :NO_ERROR, slow: true) do |peer|
          peer.every(0.2, 25) { peer.frame(6, 0, 0, "12345678") }
        end
        variant("WINDOW_UPDATEs and SETTINGS", :NO_ERROR, slow: true) do |peer|
          peer.every(0.2, 25) { peer.word(8, 0, 1) + peer.frame(4) }
        end
        variant("nothing", :NO_ERROR, slow: true) { |peer| peer.write("") }
        variant("an unanswered request, and a silent peer", :any, slow: true) do |peer|
          peer.write(peer.request(1, "/never"))
          peer.wait(6) { peer.over? }
        end
      end
    end
  end
end
