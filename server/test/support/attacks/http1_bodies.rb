# frozen_string_literal: true

module Spate
  module Server
    # Attacks over HTTP/1.1 with chunks and trailers.
    module Attacks
      plain "tiny chunks", "control_frames; frames_per_tick, and 5 ms" do
        { "of a byte" => 1, "on four connections" => 4 }.each do |name, peers|
          variant(name, 429, peers: peers) do |peer|
            peer.write(peer.chunked)
            peer.flood(200_000) { "1\r\nx\r\n" }
          end
        end
        variant("that is not read", :closed) do |peer|
          peer.write(peer.chunked("/"))
          peer.flood(200_000) { "1\r\nx\r\n" }
        end
        variant("of 40 bytes", :served) do |peer|
          peer.write(peer.chunked)
          peer.flood(20_000) { "28\r\n#{"x" * 40}\r\n" }
          peer.write("0\r\n\r\n")
        end
      end

      plain "malformed chunks", "RFC rule; 256 bytes of a line, 16 KB of extensions" do
        { "an extension of 64 KB" => "1;#{"x" * 65_536}", "a size of 16 digits" => "1000000000000000\r\n",
          "a size with zeros before it" => "#{"0" * 200}1\r\n", "a size with a sign" => "-1\r\n",
          "a size with 0x" => "0x1\r\n", "a size with a blank before it" => " 1\r\n", "no size" => "\r\n",
          "a size that ends in LF" => "1\nx\r\n", "more than it said" => "1\r\nxx\r\n",
          "chunk data not followed by CRLF" => "1\r\nx\n",
          "a null byte in an extension" => "1;\0\r\nx\r\n" }.each do |name, bytes|
          variant(name, 400) { |peer| peer.write(peer.chunked + bytes.b + peer.head("/smuggled")) }
        end
        variant("extensions again and again", 400) do |peer|
          peer.write(peer.chunked)
          peer.flood(20_000) { "28;#{"x" * 100}\r\n#{"x" * 40}\r\n" }
        end
        { "blanks" => " ", "semicolons" => ";", "quotes" => "\"" }.each do |name, separator|
          variant("extensions of #{name}", 400) do |peer|
            peer.write(peer.chunked)
            peer.flood(2000) { "28;#{separator * 200}\r\n#{"x" * 40}\r\n" }
          end
        end
      end

      plain "trailers", "header_fields, header_bytes" do
        variant("10,000 of them", 431) do |peer|
          peer.write("#{peer.chunked}0\r\n#{Array.new(10_000) { |n| "x#{n}: y\r\n" }.join}\r\n")
        end
        variant("one of 64 KB", 431) { |peer| peer.write("#{peer.chunked}0\r\nx: #{"y" * 65_536}\r\n\r\n") }
        variant("30,000 blanks", :served) { |peer| peer.write("#{peer.chunked}0\r\nx: a#{" " * 30_000}b \r\n\r\n") }
        variant("with framing fields", :served) do |peer|
          peer.write("#{peer.chunked}0\r\ncontent-length: 99\r\ntransfer-encoding: chunked\r\nhost: y\r\n\r\n")
        end
        variant("that fold", 400) { |peer| peer.write("#{peer.chunked}0\r\nx: a\r\n b\r\n\r\n") }
      end
    end
  end
end
