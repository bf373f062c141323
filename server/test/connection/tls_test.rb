# frozen_string_literal: true

require "test_helper"
require "support/tls_running"

module Spate
  module Server
    # Native::TLSConnection exchanges data with Ruby's openssl over a pair of sockets.
    class TLSConnectionTest < Minitest::Test
      include TLSRunning

      MEGABYTE = Random.new(4).bytes(1 << 20)

      def setup
        @pool = []
        @write_buffer = Native::WriteBuffer.new(@pool)
        @settings = Connection::TLS.load(folder: File.join(folder, "cache"))
      end

      def teardown
        [@ours, @theirs].each { |socket| socket&.close }
        super
      end

      # Starts a server connection, and a client in a thread that runs the block once both sides have completed the
      # handshake.
      def converse(settings = @settings, **options, &client)
        @ours, @theirs = Socket.pair(:UNIX, :STREAM)
        @connection = Native::TLSConnection.new(settings.context, @ours.fileno)
        context = OpenSSL::SSL::SSLContext.new
        options.each { |name, value| context.public_send(:"#{name}=", value) }
        socket = OpenSSL::SSL::SSLSocket.new(@theirs, context)
        through = Thread::Queue.new
        @client = Thread.new { socket.connect && through.pop && client.call(socket) }
        @client.report_on_exception = false
        @buffer = ArrayBuffer.new(1 << 20)
        @waiting = false
        receive until @connection.ready?
        through << true
      end

      # Receives into the buffer, and waits for the socket as a poller does. Returns the number of bytes, or nil if the
      # handshake is complete, no bytes arrived, and @waiting is not set.
      def receive(buffer = @buffer, offset = 0)
        until (count = @connection.receive(buffer, offset))
          return if @connection.ready? && !@waiting

          wanted = @connection.wanted
          wait(wanted == 2 ? [] : [@ours], wanted == 2 ? [@ours] : [])
        end
        count
      end

      def wait(reading, writing) = IO.select(reading, writing, nil, 10) || flunk("nothing in 10 s")

      def take(bytes)
        @waiting = true
        taken = "".b
        taken << @buffer.slice(0, receive).to_s while taken.bytesize < bytes
        taken
      end

      def facts = @connection.facts

      def test_all_keys
        issuer = certificate("root", subject: "Root").last(2)
        KINDS.each_key do |kind|
          cert, key = certificate(kind.to_s, kind: kind, issuer: issuer)
          converse(Connection::TLS.load(cert: cert, key: key)) { |socket| socket.write("x") }
          assert_equal "x", take(1), kind
          assert_equal ["TLSv1.3", "TLS_AES_128_GCM_SHA256", false], facts.first(3)
        end
      end

      # Sends data in both directions, in pieces of many sizes, over TLS 1.2 and 1.3.
      def test_there_and_back
        [OpenSSL::SSL::TLS1_2_VERSION, OpenSSL::SSL::TLS1_3_VERSION].each do |version|
          converse(max_version: version) do |socket|
            at = 0
            [1, 16_384, 16_385, 7, 100_000].cycle do |size|
              break if at >= MEGABYTE.bytesize

              at += socket.write(MEGABYTE.byteslice(at, size))
            end
            socket.read(MEGABYTE.bytesize)
          end
          assert_equal MEGABYTE, take(MEGABYTE.bytesize)
          send_all(MEGABYTE)
          assert_equal MEGABYTE, @client.value
        end
      end

      # Adds to the write buffer while unsent bytes remain. The buffer moves them, and a partly written record must
      # continue.
      def send_all(bytes)
        at = refused = 0
        while at < bytes.bytesize || !@write_buffer.empty?
          part = bytes.byteslice(at, [@write_buffer.room, 50_001].min)
          @write_buffer.raw(part)
          at += part.bytesize
          next if @connection.flush(@write_buffer)

          refused += 1
          wait([], [@ours]) if @write_buffer.room.zero? || at == bytes.bytesize
        end
        refused
      end

      def test_a_client_that_does_not_read
        read = Thread::Queue.new
        converse { |socket| read.pop and socket.read(MEGABYTE.bytesize) }
        @write_buffer.raw(MEGABYTE.byteslice(0, 250_000))
        nil while @connection.flush(@write_buffer)
        assert_operator @write_buffer.pending, :>, 0
        assert_equal 0, @connection.wanted
        sent = 340_000 # more than fits behind the unsent bytes, which move to the front
        @write_buffer.raw(MEGABYTE.byteslice(250_000...sent))
        read << true
        assert_operator send_all(MEGABYTE.byteslice(sent..)), :>, 0
        assert_equal MEGABYTE, @client.value
        assert_equal 1, @pool.size, "one buffer for all, given back"
      end

      # The poller does not report bytes that libssl has buffered; pending? does, until they are read.
      def test_pending_reports_bytes_that_the_poller_misses
        converse { |socket| socket.write("a" * 16_384) && socket.close }
        @waiting = true
        small = ArrayBuffer.new(1000)
        count = receive(small)
        16.times do
          assert_predicate @connection, :pending?
          count += @connection.receive(small, 0)
        end
        assert_equal 16_384, count
        assert_equal 0, receive(small)
        refute_predicate @connection, :pending?
      end

      # The end of the stream is found without another event if it arrived together with the last bytes.
      def test_end_of_stream_together_with_bytes
        ready = Thread::Queue.new
        converse do |socket|
          socket.write("ab")
          socket.send(:stop)
          ready << socket
          sleep
        end
        Timeout.timeout(5) { ready.pop }
        assert_equal 2, @connection.receive(@buffer, 0)
        assert_predicate @connection, :pending?
        assert_equal 0, @connection.receive(@buffer, 0)
      ensure
        @client.kill
      end

      def test_end_without_close_notify
        converse { |socket| socket.io.close_write }
        @client.value
        assert_equal 0, @connection.receive(@buffer, 0)
        @write_buffer.raw("x")
        assert_raises(Errno::EPIPE) { @connection.flush(@write_buffer) }
      end

      def test_a_lost_connection
        converse { |socket| socket.io.close }
        @client.value
        assert_raises(Errno::ECONNRESET, Errno::EPIPE) { @connection.receive(@buffer, 0) }
        assert_equal 0, @connection.receive(@buffer, 0)
      end

      def test_before_the_handshake
        @ours, @theirs = Socket.pair(:UNIX, :STREAM)
        @connection = Native::TLSConnection.new(@settings.context, @ours.fileno)
        assert_equal true, @connection.flush(@write_buffer)
        @write_buffer.raw("x")
        assert_equal false, @connection.flush(@write_buffer)
        assert_equal 1, @connection.wanted
        refute @connection.pending? || @connection.ready? || @connection.protocol || facts
        @theirs.write("G")
        error = assert_raises(Errno::EPROTO) { @connection.receive(@buffer = ArrayBuffer.new(10), 0) }
        assert_match(/plain HTTP/, error.message)
        assert_predicate @connection, :clear_text?
        refute_predicate @connection, :ready?
        assert_raises(IndexError) { @connection.receive(@buffer, 10) }
        assert_raises(TypeError) { @connection.receive("x", 0) }
        assert_raises(TypeError) { @connection.flush("x") }
        2.times { @connection.close }
        assert_raises(IOError) { @connection.receive(@buffer, 0) }
        assert_equal false, Native::TLSConnection.allocate.pending?
        assert_raises(ArgumentError) { Native::TLSConnection.new(Native::TLSContext.allocate, 1) }
      end
    end
  end
end
