# frozen_string_literal: true

require "test_helper"
require "json"
require "support/bucket_nodes"

module Spate
  module Server
    # Nodes over one bucket: what one is sent the others have.
    class CacheBucketNodeTest < Minitest::Test
      include BucketNodes

      def test_written_at_one_and_read_at_the_other
        one, other = nodes(2)
        path = blob("content")
        assert_equal [404, 404, 201], codes(other.fetch(path), other.head(path), one.put(path, "content"))
        assert_equal "7", other.head(path)["content-length"]
        refute_includes other.stored, path[1..], "whoever looks fetches nothing"
        2.times { assert_equal %w[content ont], bodies(other.fetch(path), other.fetch(path, "range" => "bytes=1-3")) }
        assert_equal({ found: 2, missing: 3 }, other.questions.slice(:found, :missing), "it is fetched once")
        assert_equal [path[1..]], other.stored
        bytes = %w[sent received].map do |way|
          [one, other].map { |node| node.metric("spate_cache_bucket_#{way}_bytes_total") }
        end
        assert_equal [[7, 0], [0, 7]], bytes
        FileUtils.rm_rf(Dir["#{one.store}/*/*"])
        assert_equal "content", one.fetch(path).body
      end

      # Another node may have written it meanwhile.
      def test_a_document_is_always_the_last_one
        one, other = nodes(2)
        path = document("build")
        assert_equal [404, 201, 201], codes(one.fetch(path), one.put(path, "one"), other.put(path, "two, longer"))
        assert_equal ["two, longer"] * 2, bodies(one.fetch(path), other.fetch(path))
        assert_equal [201, ""], [one.put(path, "").code.to_i, other.fetch(path).body]
        assert_empty one.stored + other.stored, "no node keeps one"
      end

      # What clients do not take lies on the disk, under no name.
      def test_large_documents_that_nobody_reads
        one = node
        path = document("build")
        content = Random.new(1).bytes(8 << 20)
        one.put(path, content)
        assert_equal [content, 0, []], [one.fetch(path).body, one.unnamed, one.stored]
        sockets = Array.new(4) { begin_get(one, path) }
        assert_equal [4, []], [one.unnamed, one.stored]
        sockets.each(&:close)
        one.eventually("they go with their clients") { one.unnamed.zero? }
      ensure
        sockets&.each(&:close)
      end

      # Who says so, and sees at any node what was written at another.
      def test_only_where_there_is_nothing
        one, other = nodes(2)
        path = document("build")
        assert_equal [201, 412], codes(*[one, other].map { |node| node.put(path, node.to_s, "if-none-match" => "*") })
        assert_equal one.to_s, other.fetch(path).body
      end

      def test_no_other_keys
        one = node
        paths = ["/ac/#{"a" * 32}", "/ac/#{"a" * 128}", "/cas/#{"a" * 63}"]
        assert_equal [400] * 6, codes(*paths.flat_map { |path| [one.fetch(path), one.put(path, "x")] })
      end

      # A blob, by eight at once: each is sent to the bucket once more than needed at most, and fetched once a node.
      def test_many_at_once
        one, other = nodes(2)
        blobs = Array.new(4) { |index| Random.new(index).bytes(100_000 + index) }
        together do |index|
          blobs.rotate(index).each { |content| assert_includes %w[200 201], one.put(blob(content), content).code }
        end
        assert_operator asked("PUT"), :<=, 8
        @proxy.forget_requests
        together do |index|
          blobs.rotate(index).each { |content| assert_equal content, other.fetch(blob(content)).body }
        end
        assert_equal 4, asked("GET")
        assert_equal blobs.map { |content| blob(content)[1..] }.sort, other.stored.sort
      end

      def test_who_asks_at_once_for_what_is_not_there
        one = node
        assert_equal [404], together { one.fetch(blob("none")).code.to_i }.uniq
        assert_equal [404] * 2, codes(one.fetch(blob("none")), one.fetch(document("none")))
        assert_empty one.stored
      end

      # What the bucket has is not sent again while it is young; what is old gets a new time.
      def test_what_is_there_is_not_sent
        one, other = nodes(2)
        path = blob("content")
        one.put(path, "content")
        assert_equal [false, 200], other.put_if_wanted(path, "content")
        assert_equal 1, asked("PUT")
        File.utime(0, Time.now - (13 * 3600), *kept)
        assert_equal [true, 201], one.put_if_wanted(path, "content")
        assert_in_delta Time.now.to_i, Response::HTTPDate.seconds(other.head(path)["last-modified"]).to_i, 60
        other.fetch(path)
        assert_equal 204, one.delete(path).code.to_i
        assert_equal [true, 201], other.put_if_wanted(path, "content"), "whatever lies in the folder"
      end

      # As a power failure leaves it: whoever has a look, or sends it, puts it right.
      def test_a_copy_that_was_cut_short
        one = node
        path = blob("content")
        one.put(path, "content")
        [-> { one.head(path) }, -> { one.put_if_wanted(path, "content") }].each do |ask|
          File.write("#{one.store}#{path}", "con")
          assert_equal "con", one.fetch(path).body
          ask.call
          assert_equal "content", one.fetch(path).body
        end
        assert_equal 1, asked("PUT")
      end

      def test_what_is_removed
        one, other = nodes(2)
        [blob("x"), document("x")].each do |path|
          one.put(path, "x")
          other.fetch(path)
          assert_equal [204, 204, 404], codes(one.delete(path), one.delete(path), one.fetch(path))
          assert_equal 404, other.head(path).code.to_i
        end
        assert_empty one.stored + kept
        assert_equal [200, 404], codes(other.fetch(blob("x")), other.fetch(document("x"))), "a copy is as good as ever"
      end

      # What the bucket has, whatever a node's folder has.
      def test_lists
        one, other = nodes(2)
        assert_equal [[], []], listed(one, "/cas/", "/ac/")
        one.put(blob("content"), "content")
        other.put(document("x"), "document")
        File.utime(0, 1_700_000_000, *kept)
        [one, other].each do |node|
          assert_equal [[[blob("content")[5..], 7]], [[document("x")[4..], 8]]], listed(node, "/cas/", "/any/base/ac/")
        end
        assert_equal [200, nil], [one.head("/cas/").code.to_i, one.head("/cas/").body]
      end

      def test_who_may
        write("writers", "writer\n")
        write("readers", "reader\n")
        one = node("--cache-write-token=#{folder}/writers", "--cache-read-token=#{folder}/readers")
        tokens = [{}, { "authorization" => "Bearer reader" }, Cached::TOKEN]
        path = blob("x")
        assert_equal [401, 403, 201], codes(*tokens.map { |token| one.put(path, "x", token) })
        assert_equal [401, 403, 200], codes(*tokens.map { |token| one.fetch("/cas/", token) })
        assert_equal [401, 200, 200], codes(*tokens.map { |token| one.fetch(path, token) })
        assert_equal [401, 403, 204], codes(*tokens.map { |token| one.delete(path, token) })
        assert_equal [401, 404, 404], codes(*tokens.map { |token| one.fetch(document("x"), token) })
      end

      def test_a_limit_is_the_folders
        one = node("--cache-limit", "1M", "--cache-document", "10")
        contents = Array.new(20) { |index| Random.new(index).bytes(100_000) }
        contents.each { |content| one.put(blob(content), content) }
        one.eventually("something went") { one.metric("spate_cache_evicted_total").positive? && one.stored.size < 12 }
        # A miss where it has gone again before it is sent: the limit is very low.
        contents.each { |content| one.eventually("it is sent") { one.fetch(blob(content)).body == content } }
        one.eventually("what was fetched counts, too") { one.stored.size < 12 }
        assert_equal [413, 201], codes(one.put(document("x"), "x" * 11), one.put(document("x"), "x" * 10))
        assert_equal 20, kept.grep(%r{/cas/}).size
      end

      def test_workers_and_http2
        one = node("--workers", "2")
        content = Random.new(1).bytes(3_000_000)
        file = write("upload", content)
        address = one.address(blob(content))
        told = one.client("curl", "-sS", "--http2-prior-knowledge", "-T", file, "-w", "%{http_code}", address)
        assert_equal ["201", content], [told, one.client("curl", "-sS", "--http2-prior-knowledge", address)]
        FileUtils.rm_rf(Dir["#{one.store}/*/*"])
        assert_equal [content], Array.new(4) { one.client("curl", "-sS", "--http2-prior-knowledge", address) }.uniq
      end

      private

      # A socket on which an answer began, and that takes little of it.
      def begin_get(node, path)
        socket = Socket.new(:INET, :STREAM)
        socket.setsockopt(:SOCKET, :RCVBUF, 4096)
        socket.connect(Addrinfo.tcp("127.0.0.1", node.port))
        socket.write("GET #{path} HTTP/1.1\r\nhost: localhost\r\n\r\n")
        Timeout.timeout(10) { socket.gets("\r\n\r\n") }
        socket
      end

      def together(&block) = Array.new(8) { |index| Thread.new { block.call(index) } }.map(&:value)

      # Names and sizes, of each path.
      def listed(node, *paths)
        paths.map { |path| JSON.parse(node.fetch(path).body).map { |entry| entry.values_at("name", "size") } }
      end
    end
  end
end
