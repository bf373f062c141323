# frozen_string_literal: true

require "test_helper"
require "support/files_handler"
require "zlib"

module Spate
  module Server
    # Files selects the representation of a file by Accept-Encoding: RFC 9110, section 12.5.3. It compresses text, and
    # uses existing compressed files.
    class FilesCodingsTest < Minitest::Test
      include FilesHandler

      TEXT = ("words and words\n" * 500).freeze

      def setup
        put("page.html", TEXT)
        put("short.html", "x" * 255)
        put("picture.png", TEXT)
      end

      ACCEPTED = {
        nil => %w[identity], "" => %w[identity], "gzip" => %w[gzip identity], "x-gzip" => %w[gzip identity],
        "gzip, deflate, br, zstd" => %w[br zstd gzip identity], "*" => %w[br zstd gzip identity],
        "gzip;q=1, br;q=0.5" => %w[gzip br identity], "GZIP ; Q=0.2, identity;q=0.5" => %w[identity],
        "gzip;q=0" => %w[identity], "*;q=0" => %w[identity], "br;q=0, *" => %w[zstd gzip identity],
        "identity;q=0, gzip" => %w[gzip identity], "gzip;q=0.000" => %w[identity], "gzip;q=x, br" => %w[br identity],
        "gzip;q=2" => %w[identity], "#{"a," * 200}gzip" => %w[identity], "compress" => %w[identity]
      }.freeze

      def test_accept_encoding
        ACCEPTED.each { |value, codings| assert_equal codings, Files::AcceptEncoding.of(value), value.inspect }
      end

      def facts(response) = response.headers.values_at("content-encoding", "vary")

      def test_gzip_on_the_way
        plain = get("/page.html").headers["etag"]
        first = get("/page.html", accept_encoding: "gzip")
        assert_equal %w[gzip accept-encoding], facts(first)
        assert_equal "W/#{plain[0..-2]}-gzip\"", tag = first.headers["etag"]
        assert_equal TEXT, ::Zlib.gunzip(content(first))
        assert_nil first.headers["accept-ranges"]
        assert_equal 304, status("/page.html", accept_encoding: "gzip", if_none_match: tag)
        assert_equal 200, status("/page.html", if_none_match: tag)
        assert_equal 200, status("/page.html", accept_encoding: "gzip", if_none_match: plain)
        assert_equal 412, status("/page.html", accept_encoding: "gzip", if_match: plain)
        head = get("/page.html", accept_encoding: "gzip", verb: "HEAD")
        assert_equal [200, tag, nil], [head.status, head.headers["etag"], head.body]
      end

      def test_ranges_are_not_coded
        response = get("/page.html", accept_encoding: "gzip", range: "bytes=0-4")
        assert_equal [206, nil, "words"], [response.status, response.headers["content-encoding"], content(response)]
        gzipped = get("/page.html", accept_encoding: "gzip").headers["etag"]
        response = get("/page.html", accept_encoding: "gzip", range: "bytes=0-4", if_range: gzipped)
        assert_equal [200, nil, TEXT], [response.status, response.headers["content-encoding"], content(response)]
      end

      def test_files_that_are_not_compressed
        assert_equal [nil, "accept-encoding"], facts(get("/short.html", accept_encoding: "gzip"))
        assert_equal [nil, nil], facts(get("/picture.png", accept_encoding: "gzip"))
        assert_equal [nil, "accept-encoding"], facts(get("/page.html"))
        @files = Files.new(www, gzip: false)
        assert_equal [nil, "accept-encoding"], facts(get("/page.html", accept_encoding: "gzip"))
        @files = Files.new(www, gzip_most: 1000)
        assert_nil get("/page.html", accept_encoding: "gzip").headers["content-encoding"]
        @files = Files.new(www, gzip: false, precompressed: false)
        assert_equal [nil, nil], facts(get("/page.html", accept_encoding: "gzip"))
      end

      # Other threads compress the file piece by piece while the client reads.
      def test_a_long_file
        long = Random.new(1).bytes(40_000).unpack1("H*") * 30
        put("long.txt", long)
        responses = Array.new(4) { get("/long.txt", accept_encoding: "gzip") }
        responses.each do |response|
          assert_equal ["gzip", nil], response.headers.values_at("content-encoding", "content-length")
          assert ::Zlib.gunzip(content(response)) == long
        end
        get("/long.txt", accept_encoding: "gzip").close
      end

      def test_a_long_file_that_changes
        put("long.txt", "a" * 3_000_000)
        response = get("/long.txt", accept_encoding: "gzip")
        sleep 0.05
        File.truncate(File.join(www, "long.txt"), 5)
        error = assert_raises(Response::Body::Truncated) { content(response) }
        assert_match(/long.txt changed while it was sent/, error.message)
      end

      # The client may read a piece before the compressing thread is idle. Then the next piece is not requested.
      def test_client_that_reads_before_the_thread_is_idle
        put("long.txt", Array.new(100_000) { |n| n.to_s(36) }.join(" "))
        jobs = []
        threads = Struct.new(:jobs) { def post(&job) = jobs << job }.new(jobs)
        body = Files::Gzip::Stream.new(Native::Folder.new(www).open("long.txt"), threads)
        write_buffer = Native::WriteBuffer.new([])
        got = "".b
        take = lambda do
          while body.ready? && !body.done?
            body.raw(write_buffer, write_buffer.room)
            got << write_buffer.to_s
            write_buffer.clear
          end
        end
        body.on_ready(nil, &take)
        take.call
        jobs.shift.call until jobs.empty?
        assert_predicate body, :done?
        assert_equal File.binread(File.join(www, "long.txt")), ::Zlib.gunzip(got)
      ensure
        body&.close
      end

      # Concurrent requests wait for one compression, and later ones use its cached result.
      def test_many_at_once
        long_ago = Time.now - 1000
        File.utime(long_ago, long_ago, File.join(www, "page.html"))
        sleep 2.1
        get("/page.html")
        exchanges = Array.new(20) { Exchange.new }
        now = exchanges.map do |exchange|
          files.call(gzipped(exchange))
        end
        bodies = now.zip(exchanges).map { |response, exchange| (response || exchange.answer).then { |it| content(it) } }
        assert_equal [TEXT], bodies.uniq.map { |bytes| ::Zlib.gunzip(bytes) }
        again = files.call(gzipped(nil))
        assert_equal [bodies.first, bodies.first.bytesize.to_s], [content(again), again.headers["content-length"]]
      end

      def gzipped(exchange)
        fields = %w[accept-encoding gzip]
        Request.received(verb: "GET", target: "/page.html", scheme: "http", authority: "x", fields: fields, first: 0,
                         version: "HTTP/2", body: nil, connection: Connection::Null::ONE, exchange: exchange)
      end

      def sibling(ending, text, age: 0)
        path = put("page.html#{ending}", text)
        time = File.mtime(File.join(www, "page.html")) - age
        File.utime(time, time, path)
        path
      end

      def test_siblings
        sibling(".br", "brotli's bytes")
        sibling(".gz", "gzip's bytes")
        sibling(".zst", "too old", age: 5)
        { "br" => "brotli's bytes", "gzip, br" => "brotli's bytes", "gzip;q=1, br;q=0.5" => "gzip's bytes",
          "zstd" => TEXT, "zstd, gzip" => "gzip's bytes" }.each do |accepted, expected|
          response = get("/page.html", accept_encoding: accepted)
          assert_equal [expected, "text/html; charset=utf-8", "accept-encoding"],
                       [content(response), *response.headers.values_at("content-type", "vary")], accepted
        end
        tags = ["br", "gzip", nil].map { |name| get("/page.html", accept_encoding: name).headers["etag"] }
        assert_equal tags, tags.uniq
        assert(tags.none? { |tag| tag.start_with?("W/") })
        assert_equal 304, status("/page.html", accept_encoding: "br", if_none_match: tags[0])
        assert_equal 200, status("/page.html", accept_encoding: "br", if_none_match: tags[1])
        response = get("/page.html", accept_encoding: "br", range: "bytes=0-5", if_range: tags[0])
        assert_equal [206, "br", "brotli"], [response.status, response.headers["content-encoding"], content(response)]
        assert_equal 200, status("/page.html", accept_encoding: "gzip", range: "bytes=0-5", if_range: tags[0])
        assert_equal [nil, "application/gzip"],
                     get("/page.html.gz", accept_encoding: "gzip").headers.values_at("content-encoding", "content-type")
      end

      def test_siblings_that_come_and_go
        File.utime(Time.now - 100, Time.now - 100, File.join(www, "page.html"))
        coding = -> { get("/page.html", accept_encoding: "br").tap(&:close).headers["content-encoding"] }
        assert_nil coding.call
        path = sibling(".br", "x" * 70_000)
        sleep 1.1
        assert_equal %w[br br], Array.new(2) { coding.call }
        File.delete(path)
        File.symlink("../secret", path)
        assert_nil coding.call
        files(precompressed: false)
      end
    end
  end
end
