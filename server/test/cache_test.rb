# frozen_string_literal: true

require "test_helper"
require "support/cached"

module Spate
  module Server
    # The cache protocol: PUT, GET, HEAD and DELETE of blobs and documents, over both versions of HTTP and under any
    # base path.
    class CacheTest < Minitest::Test
      include Cached

      def test_a_blob
        cache
        path = blob("content")
        assert_equal [404, 404, 404], [fetch(path), head(path), delete(path)].map { |answer| code(answer) }
        assert_equal 201, code(put(path, "content"))
        File.utime(0, 0, "#{store}#{path}")
        assert_equal [200, Time.now.year], [code(put(path, "content")), File.mtime("#{store}#{path}").year]
        answer = fetch("/any/base#{path}")
        assert_equal %w[200 content 7], [answer.code, answer.body, answer["content-length"]]
        answer = head(path)
        assert_equal ["200", "7", nil], [answer.code, answer["content-length"], answer.body]
        assert_equal 304, code(fetch(path, "if-none-match" => answer["etag"]))
        assert_equal "ont", fetch(path, "range" => "bytes=1-3").body
        assert_equal [204, 404], Array.new(2) { code(delete(path)) }
        assert_empty stored
      end

      # The name of a document is independent of its content, and the last PUT wins.
      def test_a_document
        cache
        path = document("build")
        assert_equal [201, 201], [code(put("/base#{path}", "one")), code(put(path, "two, longer"))]
        assert_equal "two, longer", fetch(path).body
        assert_equal [201, ""], [code(put(path, "")), fetch(path).body]
        assert_equal [path.delete_prefix("/")], stored
      end

      # `If-None-Match: *` rejects a PUT to an existing document: RFC 9110, section 13.1.2.
      def test_put_with_if_none_match
        cache
        path = document("build")
        assert_equal [201, 412], %w[one two].map { |text| code(put(path, text, "if-none-match" => "*")) }
        assert_equal [[path.delete_prefix("/")], "one"], [stored, fetch(path).body]
        assert_equal 201, code(put(path, "three", "if-none-match" => '"other"'))
        blob = blob("content")
        assert_equal([201, 200], Array.new(2) { code(put(blob, "content", "if-none-match" => "*")) })
      end

      def test_invalid_paths
        cache
        [["/", 404], ["/index.html", 404], ["/cas", 404], ["/tmp/x", 404], ["/cas/#{"g" * 64}", 400],
         ["/cas/#{"A" * 64}", 400], ["/cas/#{"a" * 63}", 400], ["/ac/#{"a" * 31}", 400], ["/cas/#{"a" * 64}/x", 404],
         ["/ac/..%2f..%2fx", 400], ["/cas/%2e%2e", 400], ["/tmp/#{"a" * 32}", 404]].each do |path, status|
          assert_equal [status, status], [code(fetch(path)), code(put(path, "x"))], path
        end
        %i[Post Options Patch].each { |kind| assert_equal 405, code(ask_otherwise(kind, blob("x"))), kind }
        assert_equal 400, code(put(blob("x"), "x", "content-range" => "bytes 0-0/1"))
        assert_equal 415, code(put(document("x"), "x", "content-encoding" => "gzip"))
        assert_empty stored
      end

      # curl uploads over HTTP/1.1 and HTTP/2, with a length and in chunks.
      def test_curl
        cache
        content = Random.new(1).bytes(3_000_000)
        file = write("upload", content)
        ways = [["--http1.1"], ["--http1.1", "-H", "transfer-encoding: chunked"], ["--http2-prior-knowledge"]]
        ways.each do |way|
          address = address("/cas/#{Digest::SHA256.hexdigest(content)}")
          assert_equal "201", client("curl", "-sS", *way, "-T", file, "-w", "%{http_code}", address), way
          assert_equal content, client("curl", "-sS", *way, address), way
          assert_equal "200", client("curl", "-sS", *way, "-T", file, "-w", "%{http_code}", address), way
          assert_equal "204", client("curl", "-sS", *way, "-X", "DELETE", "-w", "%{http_code}", address), way
        end
      end

      def test_tls
        cache("--tls", wrapper: ["env", "XDG_CACHE_HOME=#{folder}"])
        address = address(blob("content")).sub("http:", "https:")
        file = write("upload", "content")
        told = client("curl", "-sS", "--insecure", "-T", file, "-w", "%{http_code} %{http_version}", address)
        assert_equal "201 2", told
        assert_equal "content", client("curl", "-sS", "--insecure", address)
      end

      def test_metrics
        cache
        put(blob("content"), "content")
        put(blob("content"), "content")
        put(blob("content"), "other!!")
        put(blob("other"), "another")
        2.times { fetch(blob("content")) }
        fetch(blob("none"))
        found = eventually("metrics") { metrics.then { |now| now if now["spate_cache_bytes"] == 4096 } }
        results = %w[hit miss stored known refused].map do |result|
          found["spate_cache_requests_total{result=\"#{result}\"}"].to_i
        end
        assert_equal [2, 1, 1, 2, 1], results
        assert_equal [14, 20 << 30], found.values_at("spate_cache_received_bytes_total", "spate_cache_limit_bytes")
      end

      def test_invalid_options
        command = ->(*words) { Open3.capture2e(*COMMAND, *words).first.lines.first }
        assert_match(/\Aerror: expected a folder, a Rack .* or a cache, got \. and x$/, command[".", "--cache", "x"])
        assert_match(/\Aerror: .*--cache-limit 3x: expected a size/, command["--cache", store, "--cache-limit", "3x"])
        File.symlink("/", "#{folder}/cas")
        assert_match(%r{\Aerror: .*/cas is a symbolic link; expected a folder}, command["--cache", folder])
        file = write("file", "")
        assert_match(/\Aerror: .* cannot be used as a cache: /, command["--cache", file])
      end
    end
  end
end
