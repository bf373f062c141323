# frozen_string_literal: true

module Spate
  module Server
    # Attacks over HTTP/1.1 with request heads.
    module Attacks
      plain "large heads", "header_bytes, header_fields" do
        variant("10,000 fields", 431) { |peer| peer.write(peer.head("/", *Array.new(10_000) { |n| "x#{n}: y" })) }
        variant("129 fields", 431) { |peer| peer.write(peer.head("/", *Array.new(129) { |n| "x#{n}: y" })) }
        variant("a field of 64 KB", 431) { |peer| peer.write(peer.head("/", "x: #{"y" * 65_536}")) }
        variant("a target of 64 KB", 431) { |peer| peer.write(peer.head("/#{"x" * 65_536}")) }
        variant("a method of 64 KB", 431) { |peer| peer.write("X" * 65_536) }
        variant("one that does not end", 431) do |peer|
          peer.write("GET / HTTP/1.1\r\nhost: x\r\n")
          peer.flood(200_000) { |n| "x#{n}: #{"y" * 90}\r\n" }
        end
        variant("cookies in crumbs", 431) { |peer| peer.write(peer.head("/", *Array.new(3000) { "cookie: a" })) }
        variant("on fifty connections, each just within the limits", :served, peers: 50) do |peer|
          peer.write(peer.head("/", *Array.new(100) { |n| "x#{n}: #{"y" * 300}" }))
        end
      end

      # As many separators as a head may contain, followed by another character.
      plain "separators", "linear parsing" do
        much = ->(separator) { "a#{separator * (30_000 / separator.bytesize)}b#{separator}" }
        { "blanks" => "x", "blanks in connection" => "connection", "blanks in accept" => "accept",
          "blanks in cookie" => "cookie" }.each do |name, field|
          variant(name, :served) { |peer| peer.flood(10) { peer.head("/", "#{field}: #{much.call(" ")}") } }
        end
        { "tabs" => "\t", "commas" => ",", "commas and blanks" => ", ", "semicolons" => ";", "quotes" => "\"",
          "equals signs" => "=", "colons" => ":", "slashes" => "/" }.each do |name, separator|
          variant(name, :served) do |peer|
            peer.flood(10) { |n| peer.head("/", "#{%w[connection accept x][n % 3]}: #{much.call(separator)}") }
          end
        end
        variant("blanks in host", 400) { |peer| peer.write("GET / HTTP/1.1\r\nhost: #{much.call(" ")}\r\n\r\n") }
        variant("blanks before an invalid value", 400) do |peer|
          peer.write(peer.head("/", "x: #{much.call(" ")}\x01"))
        end
        variant("percent signs in the target", :served) { |peer| peer.write(peer.head("/#{"%" * 30_000}")) }
        variant("question marks in the target", :served) { |peer| peer.write(peer.head("/#{"?" * 30_000}")) }
      end

      plain "ambiguous requests", "RFC rule" do
        { "both lengths" => ["content-length: 5", "transfer-encoding: chunked"],
          "both lengths, the other way round" => ["transfer-encoding: chunked", "content-length: 5"],
          "two lengths" => ["content-length: 5", "content-length: 6"],
          "two lengths in one" => ["content-length: 5, 5"], "a length with a sign" => ["content-length: +5"],
          "a length of 20 digits" => ["content-length: #{"9" * 20}"],
          "chunked twice" => ["transfer-encoding: chunked, chunked"],
          "chunked with a tab" => ["transfer-encoding:\x0bchunked"],
          "a quoted coding" => ["transfer-encoding: \"chunked\""],
          "two codings" => ["transfer-encoding: chunked", "transfer-encoding: identity"],
          "a folded field" => ["x: a", " b"], "a blank before a colon" => ["content-length : 5"],
          "a line feed alone" => ["x: a\nb: c"], "a carriage return alone" => ["x: a\rb: c"],
          "a null byte" => ["x: a\0b"], "a name with a null byte" => ["x\0: a"], "a field without a name" => [": a"],
          "a line without a colon" => ["x"], "two hosts" => ["host: y"] }.each do |name, lines|
          variant(name, 400) { |peer| peer.write(peer.post("/read", *lines) + peer.head("/smuggled")) }
        end
        variant("an unknown transfer coding", 501) do |peer|
          peer.write(peer.post("/read", "transfer-encoding: gzip") + peer.head("/smuggled"))
        end
        variant("an unknown expectation", 417) do |peer|
          peer.write(peer.post("/read", "expect: the-spanish-inquisition"))
        end
        { "no host" => "GET / HTTP/1.1\r\n\r\n", "a host with invalid UTF-8" => "GET / HTTP/1.1\r\nhost: \xff\r\n\r\n",
          "a host with a path" => "GET / HTTP/1.1\r\nhost: x/y\r\n\r\n",
          "an absolute target with a user" => "GET http://a@x/ HTTP/1.1\r\nhost: x\r\n\r\n",
          "an absolute target without a host" => "GET http:/// HTTP/1.1\r\nhost: x\r\n\r\n",
          "another scheme" => "GET ftp://x/ HTTP/1.1\r\nhost: x\r\n\r\n", "HTTP/0.9" => "GET /\r\n\r\n",
          "tabs in the first line" => "GET\t/\tHTTP/1.1\r\nhost: x\r\n\r\n",
          "a blank in the target" => "GET /a b HTTP/1.1\r\nhost: x\r\n\r\n",
          "an invalid character in the method" => "G(T / HTTP/1.1\r\nhost: x\r\n\r\n",
          "HTTP/1.0 in chunks" => "POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n" }.each do |name, bytes|
          variant(name, 400) { |peer| peer.write(bytes.b) }
        end
        variant("HTTP/9.9", 505) { |peer| peer.write("GET / HTTP/9.9\r\nhost: x\r\n\r\n") }
        variant("an absolute target, and another host", :served) do |peer|
          peer.write("GET http://y/ HTTP/1.1\r\nhost: x\r\n\r\n")
        end
        variant("random bytes", :any) { |peer| peer.flood(2000) { |n| Random.new(n).bytes(64) } }
      end
    end
  end
end
