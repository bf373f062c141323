# frozen_string_literal: true

require "test_helper"
require "support/cached"

module Spate
  module Server
    # Concurrent uploads of one entry are stored completely. From clients that wait for status 100, the server receives
    # a blob at most twice.
    class CacheUploadsTest < Minitest::Test
      include Cached

      CLIENTS = 50

      # All clients upload the same blobs in a different order. In total, the server receives each blob at most twice.
      def test_fifty_clients_fill_a_node
        cache
        blobs = Array.new(20) { |index| Random.new(index).bytes(60_000 + index) }
        together { |client| blobs.rotate(client).each { |content| assert_stored(content) } }
        assert_operator metric("spate_cache_received_bytes_total"), :<=, 2 * blobs.sum(&:bytesize)
        together { |client| blobs.rotate(client).each { |content| assert_equal content, fetch(blob(content)).body } }
        assert_equal blobs.map { |content| blob(content)[1..] }.sort, stored.sort
      end

      # These clients send without `expect: 100-continue`. Duplicates are discarded.
      def test_fifty_clients_without_expect_continue
        cache("--workers", "2")
        content = Random.new(1).bytes(200_000)
        statuses = together { code(put(blob(content), content)) }
        assert_empty statuses - [200, 201]
        assert_includes 1..2, statuses.count(201)
        assert_equal content, fetch(blob(content)).body
        assert_equal [blob(content)[1..]], stored
      end

      # Each version is complete; the last writer wins.
      def test_fifty_writers_of_a_document
        cache
        texts = Array.new(CLIENTS) { |client| client.to_s * 30_000 }
        reading = Thread.new { Array.new(100) { fetch(document("x")).body } }
        together { |client| assert_equal 201, code(put(document("x"), texts[client])) }
        assert_empty reading.value.uniq - texts - ["Not found.\n"]
        assert_includes texts, fetch(document("x")).body
      end

      def test_fifty_writers_with_if_none_match
        cache
        texts = Array.new(CLIENTS) { |client| client.to_s * 30_000 }
        codes = together { |client| code(put(document("x"), texts[client], "if-none-match" => "*")) }
        assert_equal({ 201 => 1, 412 => CLIENTS - 1 }, codes.tally)
        assert_equal texts[codes.index(201)], fetch(document("x")).body
      end

      def test_waiting_client_need_not_send
        cache
        first = begin_upload("content")
        second = Thread.new { put_if_wanted(blob("content"), "content") }
        sleep 0.3
        assert_predicate second, :alive?
        first.write("tent")
        assert_match(/ 201 /, first.gets)
        assert_equal [false, 200], second.value
        assert_equal [false, 200], put_if_wanted(blob("content"), "content")
      end

      # Over HTTP/2, clients do not wait for status 100. The server keeps the body of the first client, and discards the
      # bodies of the others.
      def test_over_http2
        cache
        file = write("upload", Random.new(1).bytes(2_000_000))
        address = address("/cas/#{Digest::SHA256.file(file)}")
        put = lambda do |*words|
          client("curl", "-sS", "--http2-prior-knowledge", *words, "-T", file, "-w", "%{http_code}", address)
        end
        first = Thread.new { put.call("--limit-rate", "2M") }
        eventually("it is being written") { stored.any? }
        assert_equal(%w[200 200 201], [*Array.new(2) { Thread.new { put.call } }, first].map(&:value))
        assert_equal 2_000_000, metric("spate_cache_received_bytes_total")
        assert_equal File.binread(file), client("curl", "-sS", "--http2-prior-knowledge", address)
      end

      # When the first client disconnects, the next one uploads.
      def test_first_client_disconnects
        cache
        first = begin_upload("content")
        others = Array.new(2) { Thread.new { put_if_wanted(blob("content"), "content") } }
        sleep 0.3
        first.close
        assert_equal [[false, 200], [true, 201]], others.map(&:value).sort_by(&:last)
        assert_equal [blob("content")[1..]], stored
      end

      def test_slow_first_upload
        cache
        first = begin_upload("content")
        assert_equal [true, 201], put_if_wanted(blob("content"), "content")
        first.write("tent")
        assert_match(/ 201 /, first.gets)
        assert_equal [blob("content")[1..]], stored
      end

      private

      # Sends three of seven bytes. Returns the socket.
      def begin_upload(content)
        socket = TCPSocket.new("127.0.0.1", @port)
        socket.write("PUT #{blob(content)} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 7\r\n\r\ncon")
        eventually("it is being written") { stored.grep(/\Atmp/).any? }
        socket
      end

      def together(&block) = Array.new(CLIENTS) { |client| Thread.new { block.call(client) } }.map(&:value)

      def assert_stored(content)
        sent, status = put_if_wanted(blob(content), content)
        assert_equal sent ? 201 : 200, status
      end
    end
  end
end
