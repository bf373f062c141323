# frozen_string_literal: true

require "test_helper"
require "socket"
require "timeout"
require "spate/server/monitoring/metrics"

module Spate
  module Server
    # Reactor accepts connections up to a limit, runs posted blocks, checks timeouts, and continues after errors.
    class ReactorTest < Minitest::Test
      def teardown
        @reactor&.halt
        @thread&.join
        super
      end

      def start(handler = ->(_) { Response.text(200, "hello\n") }, **options)
        listener = TCPServer.new("127.0.0.1", 0)
        @port = listener.local_address.ip_port
        @reactor = Reactor.new(listener, handler, **options)
        @thread = Thread.new { @reactor.run }
      end

      def get
        TCPSocket.open("127.0.0.1", @port) do |socket|
          socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
          socket.read
        end
      end

      # An error after a response ends the connection and leaks no descriptor.
      def test_error_after_the_end_of_a_response
        lines = Thread::Queue.new
        body = Response::Body::Queue.new
        start(->(_) { Response.new(200, {}, body) { raise "at its end" } }, log: ->(line) { lines << line })
        before = Dir.children("/proc/self/fd").size
        GC.disable
        3.times do
          TCPSocket.open("127.0.0.1", @port) do |socket|
            socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            socket.readpartial(1000)
            socket.setsockopt(Socket::SOL_SOCKET, Socket::SO_LINGER, [1, 0].pack("ii")) # close with RST
          end
          assert_match(/at its end/, Timeout.timeout(10) { lines.pop })
          body = Response::Body::Queue.new
        end
        assert_equal before, Dir.children("/proc/self/fd").size
        assert_match(/200 OK/, Timeout.timeout(10) { answered_at_the_end })
        assert_match(/at its end/, Timeout.timeout(10) { lines.pop })
      ensure
        GC.enable
      end

      # Sends a request and stops the reactor before the response ends. Returns the received bytes.
      def answered_at_the_end
        TCPSocket.open("127.0.0.1", @port) do |socket|
          socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
          socket.readpartial(1000).tap do
            @reactor.halt
            @thread.join
          end
        end
      end

      # One byte is written to the pipe, regardless of how many blocks are posted before it is read. All blocks run.
      def test_event_queue_writes_one_byte_for_many_events
        event_queue = Reactor::EventQueue.new
        told = []
        event_queue.post(nil, -> { told << 0 })
        refute event_queue.sleep?
        about = Object.new
        100.times { |n| event_queue.post(about, -> { told << n }) }
        assert_equal 1, event_queue.empty_pipe.bytesize
        assert_equal [about], event_queue.deliver { |block, _| block.call }
        assert_equal [0, *0..99], told
        assert_nil event_queue.deliver { |block, _| block.call }
        assert event_queue.sleep?
        event_queue.awake
        event_queue.post(nil, -> {})
        assert_equal :wait_readable, event_queue.empty_pipe
      ensure
        event_queue.close
      end

      def test_post_from_many_threads
        start
        seen = Thread::Queue.new
        Array.new(4) { |n| Thread.new { 500.times { |m| @reactor.post(nil) { seen << [n, m, @reactor.here?] } } } }
             .each(&:join)
        all = Array.new(2000) { Timeout.timeout(10) { seen.pop } }
        assert(all.all?(&:last))
        assert_equal Array(0..499), all.filter_map { |n, m, _| m if n == 2 }
      end

      # An error in a handler or a posted block is logged. The next request is served.
      def test_errors
        lines = Thread::Queue.new
        start(log: ->(line) { lines << line })
        @reactor.post(nil) { raise "a block" }
        assert_match(/RuntimeError: a block \(.*reactor_test\.rb/, Timeout.timeout(10) { lines.pop })
        assert_match(/hello\n\z/, get)
      end

      # Buffers of slow clients are released.
      def test_unused_buffers_are_released
        start
        pool = @reactor.instance_variable_get(:@options)[:pool]
        write_buffers = Array.new(200) { Native::WriteBuffer.new(pool).raw("x") }
        write_buffers.each { |write_buffer| write_buffer.written(1) }
        assert_operator pool.size, :>, 100
        Timeout.timeout(10) { sleep 0.01 until pool.size < 150 }
        10.times { pool.trim }
        assert_equal Reactor::BufferPool::KEPT, pool.size
      end

      # The address of a client that has disconnected is still its own, not 127.0.0.1.
      def test_the_address_of_a_client_that_is_gone
        requests = Thread::Queue.new
        start(->(request) { requests << request && nil })
        client = Socket.tcp("127.0.0.1", @port, "127.0.0.2", 0)
        client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        request = Timeout.timeout(10) { requests.pop }
        client.setsockopt(Socket::SOL_SOCKET, Socket::SO_LINGER, [1, 0].pack("ii"))
        client.close
        Timeout.timeout(10) { sleep 0.01 until @reactor.size.zero? }
        assert_equal "127.0.0.2", request.peer
        assert_predicate request, :abandoned?
      end

      # The next requests must wait, so the socket is not read. The poller would report the lost connection in every
      # tick.
      def test_client_that_disconnects_after_many_requests
        requests = Thread::Queue.new
        start(->(request) { requests << request && nil })
        client = TCPSocket.new("127.0.0.1", @port)
        client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n" * 10_000)
        Timeout.timeout(10) { requests.pop }
        Timeout.timeout(10) { sleep 0.01 until @reactor.enum_for(:each_connection).first&.interest&.zero? }
        client.setsockopt(Socket::SOL_SOCKET, Socket::SO_LINGER, [1, 0].pack("ii"))
        client.close
        Timeout.timeout(5) { sleep 0.01 until @reactor.size.zero? }
      end

      # Errors for lack of kernel resources or memory affect only new connections.
      def test_connections_that_cannot_be_opened
        lines = Thread::Queue.new
        start(log: ->(line) { lines << line })
        assert_match(/hello\n\z/, get)
        faults = [Errno::ENOSPC, NoMemoryError, RuntimeError]
        poller = @reactor.instance_variable_get(:@poller)
        poller.define_singleton_method(:add) { |*all| (fault = faults.shift) ? raise(fault) : super(*all) }
        3.times { assert_raises(Errno::ECONNRESET, EOFError) { get.empty? && raise(EOFError) } }
        assert_match(/hello\n\z/, get)
        Timeout.timeout(10) { sleep 0.01 until @reactor.size.zero? }
        assert_empty @reactor.enum_for(:each_connection).to_a
        assert_equal 2, lines.size
      end

      # The reactor continues to accept connections after an error of accept.
      def test_errors_of_accept
        faults = [Errno::ECONNABORTED, Errno::EPERM, Errno::ENETDOWN]
        lines = []
        start(log: ->(line) { lines << line })
        listener = @reactor.instance_variable_get(:@acceptors).values.first.instance_variable_get(:@listener)
        listener.define_singleton_method(:accept_nonblock) do |**options|
          (fault = faults.shift) ? raise(fault) : super(**options)
        end
        assert_match(/hello\n\z/, Timeout.timeout(10) { get })
        assert_match(/accept: .*permitted/, lines.first)
      end

      # Not all exceptions of a handler are StandardErrors.
      def test_other_errors
        deep = ->(n) { deep.call(n + 1) }
        faults = [-> { raise NotImplementedError }, -> { require "spate/nothing" }, -> { deep.call(0) }]
        start(->(_) { (fault = faults.shift) ? fault.call : Response.text(200, "hello\n") })
        3.times { assert_empty get }
        assert_match(/hello\n\z/, get)
      end

      # A slow client times out, and closing the response body raises an error. The connection ends, and the reactor
      # continues.
      def test_errors_in_the_timeout_check
        body = Struct.new(:closed) do
          def each = loop { yield "x" * 65_536 }
          def close = raise("cannot be closed")
        end
        lines = Thread::Queue.new
        limits = Limits.new(response_seconds: 1, minimum_rate: 1_000_000_000)
        handler = ->(request) { Response.new(200, {}, request.target == "/" ? "hello\n" : body.new) }
        start(handler, limits: limits, log: ->(line) { lines << line })
        slow = Array.new(2) { TCPSocket.new("127.0.0.1", @port) }
        slow[0].write("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n")
        settings = "\0\0\6\4\0\0\0\0\0\0\4\0\0\0\1\0\0\0\4\1\0\0\0\0"
        head = "\x82\x86\x44\x05/slow"
        slow[1].write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n#{settings}\0\0#{head.bytesize.chr}\1\5\0\0\0\1#{head}")
        2.times { assert_match(/cannot be closed|reads less/, Timeout.timeout(10) { lines.pop }) }
        Timeout.timeout(10) { sleep 0.01 until @reactor.size.zero? }
        assert_match(/hello\n\z/, get)
      ensure
        slow&.each(&:close)
      end

      class Asked
        attr_reader :times

        def initialize(late)
          @late = late
          @times = 0
        end

        def closed? = false

        def late?(_now)
          @times += 1
          @late
        end
      end

      # Each of ten thousand connections is checked once per round, in slices that delay no request.
      def test_a_round_over_all_connections
        all = Array.new(10_000) { |n| Asked.new(n % 1000 == 7 ? :late : nil) }
        round = Reactor::TimeoutCheck.new(all.dup)
        late = []
        steps = 1
        steps += 1 while round.step { |connection| late << connection if connection.late?(1) }
        assert_equal [10, [1]], [late.size, all.map(&:times).uniq]
        assert_operator steps, :>=, 30
      end

      # Connections beyond the limit are closed and counted. The others continue.
      def test_too_many_connections
        counters = Monitoring::Metrics.counters(1)
        observer = Monitoring::Observer.new(metrics: Monitoring::Metrics.new(counters, 1))
        start(limits: Limits.new(connections: 3), observer: observer)
        held = Array.new(3) { TCPSocket.new("127.0.0.1", @port) }
        Timeout.timeout(10) { sleep 0.01 until @reactor.size == 3 }
        5.times { assert_equal "", TCPSocket.open("127.0.0.1", @port, &:read) }
        assert_equal 5, counters.get(1, Monitoring::Metrics::COLUMNS.fetch([:refused, "connections"]))
        held.pop.close
        Timeout.timeout(10) { sleep 0.01 until @reactor.size == 2 }
        assert_match(/hello\n\z/, get)
      ensure
        held&.each(&:close)
      end

      # A burst of connections is accepted in parts, and open connections are served meanwhile.
      def test_many_that_wait_to_be_accepted
        start
        inside = TCPSocket.new("127.0.0.1", @port)
        crowd = Array.new(500) { TCPSocket.new("127.0.0.1", @port) }
        inside.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert_match(/hello\n\z/, Timeout.timeout(5) { inside.read })
        Timeout.timeout(10) { sleep 0.01 until @reactor.size >= 500 }
      ensure
        [inside, *crowd].each { |socket| socket&.close }
      end

      def test_counters
        counters = Native::Counters.new(2, 3)
        pid = Process.fork do
          100.times { counters.add(1, 2, 5) }
          exit!(0)
        end
        Process.wait(pid)
        counters.set(0, 2, 1 << 40)
        assert_equal [500, (1 << 40) + 500, 2], [counters.get(1, 2), counters.sum(2), counters.rows]
        assert_equal [7, 0], [counters.exchange(0, 0, 7) + 7, counters.get(1, 0)]
        assert_raises(IndexError) { counters.get(2, 0) }
        assert_raises(IndexError) { counters.add(0, 3, 1) }
        assert_raises(RangeError, TypeError) { counters.add(0, 0, nil) }
        assert_raises(ArgumentError) { Native::Counters.new(0, 1) }
        assert_raises(ArgumentError) { Native::Counters.new(1 << 19, 1 << 19) }
        assert_raises(RuntimeError) { Native::Counters.allocate.get(0, 0) }
      end
    end
  end
end
