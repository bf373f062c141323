# frozen_string_literal: true

module Spate
  module Server
    # Attacks over HTTP/1.1 with many requests, other protocols, and disconnects.
    module Attacks
      plain "floods of valid input", "frames_per_tick, and 5 ms" do
        { "requests behind each other" => 1, "on ten connections" => 10 }.each do |name, peers|
          variant(name, :served, peers: peers) { |peer| peer.flood(10_000 / peers) { peer.head } }
        end
        variant("two hundred connections", :served, peers: 200) { |peer| peer.write(peer.head) }
        variant("empty lines", 429) { |peer| peer.flood(6000) { "\r\n" * 1000 } }
        variant("requests a byte at a time", :served) do |peer|
          peer.head("/", "x: #{"y" * 2000}").each_char { |byte| peer.write(byte) }
        end
        variant("small bodies", :served) { |peer| peer.flood(3000) { "#{peer.post("/read", "content-length: 1")}x" } }
        variant("expectations", :served) do |peer|
          peer.flood(3000) { "#{peer.post("/read", "content-length: 1", "expect: 100-continue")}x" }
        end
      end

      plain "other protocols", "RFC rule" do
        variant("h2c by upgrade", :served) do |peer|
          peer.write(peer.head("/", "connection: upgrade, http2-settings", "upgrade: h2c", "http2-settings: AAMAAABk"))
        end
        variant("an unsupported websocket upgrade", :served) do |peer|
          peer.write(peer.head("/", "connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13"))
        end
        variant("HTTP/2's preface after a request", 505) { |peer| peer.write(peer.head + HTTP2::PREFACE) }
        variant("CONNECT, and requests without a tunnel", 500) do |peer|
          peer.write("CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n#{peer.head("/smuggled")}")
        end
        variant("TLS", 400) { |peer| peer.write("\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03#{"\n" * 100}".b) }
      end

      plain "ends", "the connection" do
        { "half of a head" => ->(_peer) { "GET / HT" }, "half of a body" => lambda { |peer|
                                                                              peer.post("/read", "content-length: 9")
                                                                            },
          "half of a chunk" => ->(peer) { "#{peer.chunked}9\r\nabc" } }.each do |name, bytes|
          variant(name, :closed) do |peer|
            peer.write(bytes.call(peer))
            peer.half_close
          end
        end
        variant("behind a request", :closed) do |peer|
          peer.write(peer.head)
          peer.half_close
        end
        { "a request" => "GET /big HTTP/1.1\r\nhost: x\r\n\r\n", "half of a head" => "GET / HT",
          "half of a body" => "POST /read HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nx", "nothing" => "",
          "a request without an answer" => "GET /never HTTP/1.1\r\nhost: x\r\n\r\n" }.each do |name, bytes|
          variant("five hundred resets behind #{name}", :served) do |peer|
            peer.resets(500) { |socket| socket.write(bytes) }
          end
        end
      end
    end
  end
end
