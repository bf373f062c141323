# frozen_string_literal: true

require "test_helper"
require "support/files_handler"
require "zlib"

module Spate
  module Server
    # Files::Gzip::Cache compresses each long file once, never returns a stale result, and has a limited size.
    class FilesGzipCacheTest < Minitest::Test
      include FilesHandler

      # A time in nanoseconds, long after any change.
      LATER = 4 << 60

      def setup
        @threads = Files::ThreadPool.new(1)
        @cache = Files::Gzip::Cache.new(@threads, all: 3_000_000)
        @opened = 0
      end

      def teardown
        @threads.close
        super
      end

      # Random hexadecimal digits. Compressed, they take a little more than half the size.
      def text(size, seed = 1) = Random.new(seed).bytes(size / 2).unpack1("H*")

      def known(name)
        folder = Native::Folder.new(www)
        found = folder.open(name)
        Files::Resource.new(name, found, "text/plain", true).tap { found.close }
      end

      def body(known, now = LATER)
        @cache.body(known, now) do
          @opened += 1
          Native::Folder.new(www).open(known.name)
        end
      end

      # Returns whether this process has a file open. Descriptors of folders may stay open until GC.
      def open?(name)
        Dir.glob("/proc/self/fd/*").any? do |link|
          File.readlink(link) == File.realpath("#{www}/#{name}")
        rescue Errno::ENOENT
          false
        end
      end

      # Returns the whole body, decompressed.
      def read(body) = ::Zlib.gunzip(content(Response.new(200, {}, body)))

      def test_one_compression_for_concurrent_requests
        put("a.txt", text = text(2_000_000))
        bodies = Array.new(10) { body(known("a.txt")) }
        assert_equal [nil], bodies.map(&:length).uniq
        assert_equal([text], bodies.map { |body| read(body) }.uniq)
        late = body(known("a.txt"))
        assert_equal 1, @opened
        assert_operator late.length, :<, 1_300_000
        assert_equal late.length, late.at_hand
        assert_equal text, read(late)
      end

      def test_changed_file_is_compressed_again
        put("a.txt", text(1_000_000))
        read(body(known("a.txt")))
        put("a.txt", other = text(1_000_000, 2))
        assert_equal other, read(body(known("a.txt")))
        put("b.txt", third = text(1_000_000, 3))
        File.utime(*[File.mtime(File.join(www, "a.txt"))] * 2, File.join(www, "b.txt"))
        File.rename(File.join(www, "b.txt"), File.join(www, "a.txt"))
        assert_equal third, read(body(known("a.txt")))
        assert_equal 3, @opened
      end

      # The file may change again within the same clock tick, without a visible difference.
      def test_a_file_that_changed_just_now
        put("a.txt", text(1_000_000))
        assert_nil body(known("a.txt"), Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
      end

      def test_file_that_changes_during_compression
        put("a.txt", text(2_900_000))
        first = body(known("a.txt"))
        File.truncate(File.join(www, "a.txt"), 1_000_000)
        assert_raises(Response::Body::Truncated) { content(Response.new(200, {}, first)) }
        assert_equal text(2_900_000)[0, 1_000_000], read(body(known("a.txt")))
      end

      # The limit includes entries that are being sent. Beyond it, no body is returned, and the handler compresses
      # without the cache.
      def test_bounds
        4.times { |n| put("#{n}.txt", text(2_000_000, n)) }
        slow = body(known("0.txt"))
        assert_nil body(known("1.txt"))
        read(body(known("0.txt")))
        held = body(known("0.txt"))
        slow.close
        assert_nil body(known("1.txt"))
        held.close
        read(body(known("1.txt")))
        assert_operator @cache.bytes, :<, 3_000_000
        read(body(known("1.txt")))
        assert_equal 2, @opened
        read(body(known("0.txt")))
        assert_equal 3, @opened
      end

      # Compression stops when the only client disconnects. The next request starts it again.
      def test_abandoned_entry_is_made_again
        put("a.txt", text = text(2_000_000))
        body(known("a.txt")).close
        Timeout.timeout(SECONDS) { sleep 0.005 while open?("a.txt") }
        assert_equal text, read(body(known("a.txt")))
        assert_equal 2, @opened
      end

      # A request that arrives while an entry is abandoned gets a new entry.
      def test_request_while_an_entry_is_abandoned
        put("a.txt", text = text(2_000_000))
        late = Thread::Queue.new
        giving_up = TracePoint.new(:call) { late << body(known("a.txt")) if late.empty? }
        giving_up.enable(target: Files::Gzip::Cache::Entry.instance_method(:give_up)) do
          hold = Thread::Queue.new
          @threads.post { hold.pop }
          body(known("a.txt")).close
          hold << nil
          assert_equal text, read(Timeout.timeout(SECONDS) { late.pop })
        end
      end

      # The handler reads the file once for all requests, and later responses have a content-length.
      def test_served
        put("a.txt", text = text(3_000_000))
        long_ago = Time.now - 1000
        File.utime(long_ago, long_ago, File.join(www, "a.txt"))
        sleep 2.1
        before = bytes_read
        answers = Array.new(8) { get("/a.txt", accept_encoding: "gzip") }
        assert_equal([text], answers.map { |answer| ::Zlib.gunzip(content(answer)) }.uniq)
        assert_operator bytes_read - before, :<, 6_000_000
        last = get("/a.txt", accept_encoding: "gzip")
        assert_equal ["gzip", last.body.length.to_s], last.headers.values_at("content-encoding", "content-length")
        assert_equal answers.first.headers["etag"], last.headers["etag"]
        assert_equal text, ::Zlib.gunzip(content(last))
      end

      def bytes_read = File.read("/proc/self/io")[/rchar: (\d+)/, 1].to_i
    end
  end
end
