# frozen_string_literal: true

require "test_helper"
require "support/bucket_nodes"

module Spate
  module Server
    # What readers are told.
    class CacheBucketGrowthTest < Minitest::Test
      # Whoever starved is told, and of the last byte when all is over.
      def test_what_is_told_of
        growth = Cache::Bucket::Growth.new(write("ten", "0123456789"), 10)
        told = 0
        growth.on_ready(nil) { told += 1 }
        growth.came(4)
        assert_equal [4, 1, 0], [growth.allowance(0), growth.allowance(3), told]
        assert_equal 0, growth.allowance(4)
        growth.came(10)
        assert_equal [9, 1, 0, 1], [growth.allowance(0), growth.allowance(8), growth.allowance(9), told]
        growth.over
        assert_equal [1, 2], [growth.allowance(9), told]
      ensure
        growth&.close
      end
    end

    # A large blob is sent while it comes, and never the whole of one that is not as it is named.
    class CacheBucketStreamsTest < Minitest::Test
      include BucketNodes

      SIZE = 3_000_000

      def setup
        super
        @content = Random.new(1).bytes(SIZE)
        @path = blob(@content)
        one, @other = nodes(2)
        assert_equal "201", one.put(@path, @content).code
      end

      # Also to who comes later; who wants a part, waits for the whole.
      def test_what_is_there_is_sent
        @proxy.fault(/cas/, :stall, bytes: 2_000_000)
        first, second = Array.new(2) { begin_get }
        [first, second].each { |socket| assert_equal @content[0, 1_500_000], read(socket, 1_500_000) }
        part = begin_get("range: bytes=0-9\r\n")
        assert_nil part.wait_readable(0.5)
        @proxy.stop
        @proxy = nil
        assert_match(/\A 502 /, read_head(part))
        [first, second].each { |socket| assert_equal 2_000_000, 1_500_000 + socket.read.bytesize }
        assert_equal ["502", []], [@other.fetch(@path).code, @other.stored]
      ensure
        [first, second, part].each { |socket| socket&.close }
      end

      # The last byte waits for the digest, over either version.
      def test_damage_is_never_whole
        @proxy.fault(/cas/, :corrupt)
        %w[--http1.1 --http2-prior-knowledge].each do |version|
          out, status = Open3.capture2("curl", "-sS", version, @other.address(@path), err: File::NULL, binmode: true)
          refute_predicate status, :success?
          assert_operator out.bytesize, :<, SIZE
          assert_empty @other.stored
        end
        @proxy.clear_faults
        assert_equal @content, @other.client("curl", "-sS", "--http2-prior-knowledge", @other.address(@path))
        assert_equal [@path[1..]], @other.stored
      rescue Errno::ENOENT
        skip "curl is not installed"
      end

      # Whoever reads slowly, and whoever leaves, is in nobody's way.
      def test_many_readers
        slow, gone = Array.new(2) { begin_get }
        gone.close
        bodies = Array.new(8) { Thread.new { @other.fetch(@path).body } }.map(&:value)
        assert_equal [@content], bodies.uniq
        assert_equal 1, asked("GET")
        FileUtils.rm_rf(Dir["#{@other.store}/cas/*"])
        assert_equal @content, read(slow, SIZE)
      ensure
        slow&.close
      end

      private

      # A socket, behind the answer's head unless something else is asked for.
      def begin_get(fields = "")
        socket = TCPSocket.new("127.0.0.1", @other.port)
        socket.write("GET #{@path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n#{fields}\r\n")
        read_head(socket) if fields.empty?
        socket
      end

      def read_head(socket) = Timeout.timeout(20) { socket.gets("\r\n\r\n") }.delete_prefix("HTTP/1.1")
      def read(socket, count) = Timeout.timeout(20) { socket.read(count) }
    end
  end
end
