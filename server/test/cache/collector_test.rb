# frozen_string_literal: true

require "test_helper"
require "support/cached"

module Spate
  module Server
    # The collector removes the least recently used entries of a full cache, also while clients read and other nodes
    # share the folder.
    class CacheCollectorTest < Minitest::Test
      include Cached

      HOUR = 3600
      SIZE = 102_400

      def test_least_recently_used_entries_are_removed
        cache("--cache-limit", "1M")
        contents = fill(8)
        contents.each_with_index { |content, age| last_used(content, (10 - age) * HOUR) }
        fetch(blob(contents[0])) # the oldest is in use again
        head(blob(contents[1]))
        write("store/cas/README", "x" * 500_000) # not an entry
        fill(3, from: 100)
        eventually("something went") { metric("spate_cache_evicted_total").positive? }
        there = contents.map { |content| code(head(blob(content))) == 200 }
        assert_equal [true, true, false], there.first(3)
        assert there.last, "the youngest stays"
        assert_operator there.count(true), :>=, 5, "no more goes than has to"
        assert_equal 500_000, File.size("#{store}/cas/README")
        assert_operator bytes, :<=, 1 << 20
        assert_match(/the cache was over its limit of 1048576 bytes: \d entries with \d+ bytes were removed/, stop.last)
      end

      # An entry must be kept after the server reported that it exists, because the client does not send it again.
      def test_entry_renewed_during_a_scan_is_kept
        folder = Cache::Folder.new(store)
        contents = %w[one two].each do |content|
          File.write("#{store}#{blob(content)}", content)
          last_used(content, HOUR)
        end
        rounds = 0
        folder.define_singleton_method(:each) do |&block|
          rounds += 1
          super() { |name, status| block.call(name.tap { renew(name) if rounds == 2 && name.key[0] == "7" }, status) }
        end
        collector = Cache::Collector.new(folder, 1)
        collector.every_second
        collector.close
        assert_equal [blob(contents.first)[1..]], stored
      end

      # The entries exceed the limit within one minute of their writing. New entries are removed as well.
      def test_writing_more_than_the_limit_in_a_minute
        cache("--cache-limit", "1M")
        fill(40)
        eventually("it is within its limit") { bytes <= 1 << 20 }
        assert_operator entries.size, :>=, 8
        eventually("the size is known") { metric("spate_cache_bytes") <= 1 << 20 }
      end

      def test_entries_larger_than_the_limit
        cache("--cache-limit", "64K", "--cache-document", "1K")
        assert_equal [413, 413, 201], [put(blob("x" * SIZE), "x" * SIZE), put(document("x"), "x" * 1025),
                                       put(document("x"), "x" * 1024)].map { |answer| code(answer) }
        chunked = client("curl", "-sS", "-H", "transfer-encoding: chunked", "-T", write("big", "x" * SIZE),
                         address(blob("x" * SIZE)))
        assert_equal "More than 65536 bytes.\n", chunked
        assert_equal [document("x")[1..]], stored
      end

      # Two servers with two processes each share the folder without any communication.
      def test_several_nodes
        cache("--cache-limit", "2M", "--workers", "2")
        one = [@server, @log, @port, @pid_file]
        cache("--cache-limit", "2M", "--workers", "2")
        ports = [one[2], @port]
        contents = Array.new(60) { |index| Random.new(index).bytes(SIZE) }
        torn = contents.each_with_index.filter_map do |content, index|
          @port = ports[index % 2]
          assert_equal 201, code(put(blob(content), content))
          @port = ports[(index + 1) % 2]
          old = contents[index / 2]
          answer = fetch(blob(old))
          index if answer.code == "200" && answer.body != old
        end
        assert_empty torn
        most = (2 << 20) * 1.2
        eventually("it is within its limit") { bytes <= most }
        assert_operator entries.size, :>=, 15
      ensure
        stop
        @server, @log, @port, @pid_file = one
      end

      # An entry that is removed during a download is still sent completely.
      def test_reading_an_entry_that_is_removed
        cache
        content = Random.new(1).bytes(20_000_000)
        put(blob(content), content)
        socket = TCPSocket.new("127.0.0.1", @port)
        socket.write("GET #{blob(content)} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        start = socket.readpartial(1000)
        assert_equal 204, code(delete(blob(content)))
        assert_equal content, (start + Timeout.timeout(SECONDS) { socket.read }).split("\r\n\r\n", 2).last
      end

      # The server is killed during an upload.
      def test_after_a_crash
        cache
        socket = TCPSocket.new("127.0.0.1", @port)
        socket.write("PUT #{blob("content")} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 7\r\n\r\ncon")
        eventually("it is being written") { stored.any? }
        stop(:KILL)
        assert_match(%r{\Atmp/\h{32}\z}, stored.join(" "))
        killed = stored.first
        foreign, young = "tmp/backup.sql", "tmp/#{"0" * 32}"
        [foreign, young].each { |name| write("store/#{name}", "") }
        [foreign, killed].each { |name| File.utime(Time.now, Time.now - (2 * HOUR), "#{store}/#{name}") }
        cache
        eventually("it is swept") { stored.sort == [young, foreign] }
        assert_equal [404, 201], [fetch(blob("content")), put(blob("content"), "content")].map { |answer| code(answer) }
      end

      private

      # Stores blobs of 100 KB. Returns their contents.
      def fill(count, from: 0)
        Array.new(count) do |index|
          Random.new(from + index).bytes(SIZE).tap { |content| assert_equal 201, code(put(blob(content), content)) }
        end
      end

      def last_used(content, seconds)
        path = "#{store}#{blob(content)}"
        File.utime(Time.now - seconds, File.mtime(path), path)
      end

      def bytes = entries.sum { |path| File.size?(path).to_i }
      def entries = Dir.glob("#{store}/{cas,ac}/#{"?" * 64}")
    end
  end
end
