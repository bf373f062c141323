# frozen_string_literal: true

module Spate
  module Server
    # Attacks over HTTP/1.1 by slow clients.
    module Attacks
      plain "slow heads", "head_seconds" do
        variant("a byte at a time", 408, slow: true) { |peer| peer.dribble(peer.head("/", "x: #{"y" * 100}"), 0.1, 5) }
        variant("a field at a time", 408, slow: true) do |peer|
          peer.write("GET / HTTP/1.1\r\n")
          peer.every(0.2, 20) { |n| "x#{n}: y\r\n" }
        end
        variant("one that does not end", 408, slow: true) { |peer| peer.write("GET / HTTP/1.1\r\nhost: x\r\n") }
        variant("behind a request", 408, slow: true) { |peer| peer.write("#{peer.head}GET / HTTP/1.1\r\n") }
        variant("a hundred of them", 408, slow: true, peers: 100) { |peer| peer.write("GET / HTTP/1.1\r\n") }
      end

      plain "slow bodies", "body_seconds, minimum_rate" do
        variant("none at all", 408, slow: true) { |peer| peer.write(peer.post("/read", "content-length: 100000")) }
        variant("a byte at a time", 408, slow: true) do |peer|
          peer.write(peer.post("/read", "content-length: 100000"))
          peer.every(0.1, 30) { "x" }
        end
        variant("a chunk at a time", 408, slow: true) do |peer|
          peer.write(peer.chunked)
          peer.every(0.1, 30) { "1\r\nx\r\n" }
        end
        variant("a chunk's size that does not end", 408, slow: true) do |peer|
          peer.write(peer.chunked)
          peer.dribble("1;#{"x" * 200}", 0.1, 5)
        end
        variant("trailers that do not end", 408, slow: true) do |peer|
          peer.write("#{peer.chunked}0\r\n")
          peer.dribble("x: #{"y" * 200}", 0.1, 5)
        end
        variant("after 100 Continue", 408, slow: true) do |peer|
          peer.write(peer.post("/read", "content-length: 9", "expect: 100-continue"))
        end
        variant("a hundred of them", 408, slow: true, peers: 100) do |peer|
          peer.write(peer.post("/read", "content-length: 9"))
        end
      end

      plain "slow reads", "a write buffer of 320 KB a connection; response_seconds, minimum_rate" do
        variant("an unread response", :closed, slow: true) do |peer|
          peer.silent = true
          peer.flood(20) { peer.head("/big") }
          sleep 4
        end
        variant("on twenty connections", :closed, slow: true, peers: 20) do |peer|
          peer.silent = true
          peer.flood(20) { peer.head("/big") }
          sleep 4
        end
        variant("more requests than responses fit", :any, slow: true) do |peer|
          peer.silent = true
          peer.flood(50_000) { peer.head }
          sleep 4
        end
      end

      plain "idle connections", "idle, without requests" do
        variant("nothing", :closed, slow: true, &:read)
        variant("after a response", :closed, slow: true) { |peer| peer.write(peer.head) }
        variant("two hundred connections", :closed, slow: true, peers: 200) { |peer| peer.write(peer.head) }
        variant("empty lines", :closed, slow: true) { |peer| peer.every(0.2, 25) { "\r\n" } }
      end
    end
  end
end
