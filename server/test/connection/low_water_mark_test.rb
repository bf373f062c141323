# frozen_string_literal: true

require "test_helper"
require "socket"
require "timeout"

module Spate
  module Server
    # Connection::LowWaterMark: large bodies wake the server rarely, but received bytes are read without waiting for
    # more. Responses that are ready at the same time are written in one call.
    class BulkTest < Minitest::Test
      SECONDS = 10

      # A plain socket that counts writes and records low-water marks.
      class Watched < Connection::Plain
        attr_reader :writes, :marks

        def initialize(...)
          super
          @writes = 0
          @marks = []
        end

        def flush(write_buffer)
          @writes += 1 unless write_buffer.empty?
          super
        end

        def low_water(bytes)
          @marks << bytes
          super
        end
      end

      def setup
        @client, server = UNIXSocket.pair
        @transport = Watched.new(server)
      end

      def teardown
        [@client, @transport].each(&:close)
      end

      def connection(&handler)
        Connection.new(@transport, input: ArrayBuffer.new(Reactor::INPUT), pool: [], handler: handler,
                                   limits: Limits.defaults, window_pool: Limits::WindowPool.new(0))
      end

      def test_a_small_response_is_one_write
        serving = connection { |request| Response.text(200, request.target) }
        2.times do |count|
          @client.write("GET /#{count} HTTP/1.1\r\nhost: x\r\n\r\n")
          assert serving.tick(Connection::READ, count)
          assert_match(%r{\AHTTP/1.1 200 .*\r\n\r\n/#{count}\z}m, @client.readpartial(4096))
          assert_equal count + 1, @transport.writes
        end
      end

      def test_requests_that_arrive_together_are_all_answered
        serving = connection { |request| Response.text(200, request.target) }
        @client.write("GET /a HTTP/1.1\r\nhost: x\r\n\r\n" * 4)
        assert serving.tick(Connection::READ, 1)
        assert_equal 4, @client.readpartial(65_536).scan(%r{^/a}).size
      end

      # Receiving much of a body raises the low-water mark. The first read that returns few bytes lowers it again.
      def test_low_water_mark
        size = 0
        serving = connection { |request| request.body.on_chunk(lent: true) { |part| size += part.bytesize } && nil }
        ticks = send_much(serving)
        assert_includes 8..9, ticks
        @client.write("x")
        assert serving.tick(Connection::READ, ticks + 1)
        refute_predicate serving, :bulk?
        assert_equal [Connection::LowWaterMark::LOW_WATER, 1], @transport.marks
        assert_equal ticks * 32_768 + 1, size
      end

      def test_detached_socket
        serving = connection { |request| request.body.on_chunk(lent: true) { nil } && nil }
        send_much(serving)
        assert serving.detach { |socket, _| socket.close }
        assert_equal [Connection::LowWaterMark::LOW_WATER, 1], @transport.marks
        serving.close
      end

      # Returns the tick in which the low-water mark was raised.
      def send_much(serving)
        @client.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10000000\r\n\r\n")
        (1..).each do |tick|
          @client.write("x" * 32_768)
          assert serving.tick(Connection::READ, tick)
          return tick if serving.bulk?
        end
      end

      # Over TCP, fewer bytes than the mark are also read when no more follow.
      def test_few_bytes_after_many
        sizes = Thread::Queue.new
        counting = ->(request) { request.body.on_chunk(lent: true) { |part| sizes << part.bytesize } && nil }
        reactor_for(counting) do |port|
          socket = TCPSocket.new("127.0.0.1", port)
          socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100000000\r\n\r\n")
          [4 << 20, 100, 1].each do |count|
            socket.write("x" * count)
            Timeout.timeout(SECONDS) { count -= sizes.pop while count.positive? }
            assert_equal 0, count
          end
        ensure
          socket&.close
        end
      end

      def reactor_for(handler)
        listener = TCPServer.new("127.0.0.1", 0)
        reactor = Reactor.new(listener, handler)
        thread = Thread.new { reactor.run }
        yield listener.local_address.ip_port
      ensure
        reactor.halt
        thread.join(SECONDS)
        listener.close
      end

      def test_copying_keeps_memory_and_bounds
        to = +"123456"
        assert_same to, Native.copy(to, 2, "abcdef", 1, 3)
        assert_equal "12bcd", to
        assert_equal "12bcdabcdef", Native.copy(to, 5, "abcdef", 0, 6)
        [[12, 0, 1], [-1, 0, 1], [0, -1, 1], [0, 0, 7], [0, 6, 1], [0, 7, 0], [0, 0, -1]].each do |at, from, count|
          assert_raises(IndexError) { Native.copy(to, at, "abcdef", from, count) }
        end
        assert_raises(FrozenError) { Native.copy("12", 0, "abcdef", 0, 1) }
      end
    end
  end
end
