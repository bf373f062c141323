# frozen_string_literal: true

require "socket"
require "spate/bytes"

module Spate
  module Server
    # Serves many connections with one thread and one poller. Connections are served in turn, and a slow peer does not
    # delay other connections.
    class Reactor
      autoload :Acceptor, "spate/server/reactor/acceptor"
      autoload :Drain, "spate/server/reactor/rounds"
      autoload :Listener, "spate/server/reactor/listener"
      autoload :EventQueue, "spate/server/reactor/event_queue"
      autoload :TimeoutCheck, "spate/server/reactor/rounds"

      # @!visibility private
      # Unused memory of write buffers, for reuse. Each second, half of the buffers beyond KEPT are released, so that
      # memory which was needed for many slow clients is freed.
      class BufferPool < Array
        KEPT = 64

        # @!visibility private
        def trim = pop([(size - KEPT + 1) / 2, 0].max)
      end

      # Maximum bytes per read.
      INPUT = 524_288
      READ = 1
      # Longest sleep in milliseconds: SLEEP normally, SHORT_SLEEP while the server is stopping.
      SLEEP = 1000
      SHORT_SLEEP = 50
      # Seconds between two checks for timeouts.
      CHECK = 1

      # Errors that end only the connection in which they are raised. They include a handler's NotImplementedError.
      FAULTS = [StandardError, ScriptError, SystemStackError, NoMemoryError].freeze

      # @return [Integer] number of open connections
      attr_reader :size

      # @param listener [TCPServer, UNIXServer, Hash{TCPServer, UNIXServer => Object, nil}] several listeners, each with
      #   its `tls`
      # @param handler [#call] `call(request)` returns a Response, or nil and responds later; `every_second` is
      #   called once a second, if it is defined
      # @param limits [Limits]
      # @param log [#call, nil] called with a line
      # @param tls [Object, nil] the result of Connection::TLS.load; nil for clear text
      # @param observer [Monitoring::Observer, nil]
      # @param shared [Boolean] whether other processes wait on the same socket
      # @param proxy_protocol [Boolean] whether each connection begins with a PROXY header
      def initialize(listener, handler, limits: Limits.defaults, log: nil, tls: nil, observer: nil, shared: false,
                     proxy_protocol: false)
        @proxy_protocol = proxy_protocol
        @limits = limits
        @log = log
        @observer = observer
        @periodic = handler if handler.respond_to?(:every_second)
        @poller = Native::Poller.new
        @acceptors = (listener.is_a?(Hash) ? listener : { listener => tls }).to_h do |socket, security|
          [socket.fileno, Acceptor.new(socket, @poller, tls: security, shared: shared, log: log)]
        end
        @event_queue = EventQueue.new
        @check_at = Server.now + CHECK
        @options = { input: ArrayBuffer.new(INPUT), pool: BufferPool.new, handler: handler, limits: limits,
                     reactor: self, log: log, observer: observer,
                     window_pool: Limits::WindowPool.new(limits.windows) }
        @connections = {}
        @bulky = {}.compare_by_identity
        @size = 0
      end

      # Serves until {#stop}, and until all connections are drained.
      #
      # @return [void]
      def run
        @thread = Thread.current
        @poller.add(@event_queue.descriptor, READ)
        open_acceptors
        ready = []
        tick(ready) until @drain && (@connections.empty? || @drain.over?(Server.now))
      ensure
        @connections.each_value { |connection| guard(nil) { connection.close } }
        @poller.close
        @event_queue.close
        @observer&.close
      end

      # Stops accepting connections; open requests are still answered. May be called from any thread or signal handler.
      #
      # @return [void]
      def stop
        @asked_to_stop = true
        @event_queue.wake
      end

      # Stops without waiting for open requests. May be called from any thread or signal handler.
      #
      # @return [void]
      def halt
        @at_once = true
        stop
      end

      # @!visibility private

      # Runs the block on the reactor's thread, and then a tick of the connection unless it is closed by then.
      # connection: nil if the block concerns no connection. May be called from any thread.
      def post(connection, &block) = @event_queue.post(connection, block)

      # Whether this is the reactor's thread.
      def here? = Thread.current.equal?(@thread)

      # Yields a descriptor that becomes readable when there is work to do, or nil if there may already be some. The
      # block may wait for the descriptor without the GVL.
      def doze
        yield(@event_queue.sleep? && @bulky.empty? ? @poller.descriptor : nil)
      ensure
        @event_queue.awake
      end

      # Yields each connection. Must be called on the reactor's thread.
      def each_connection(&block) = @connections.each_value(&block)

      private

      def tick(ready)
        @poller.wait(@event_queue.sleep? && !@check ? nap : 0, ready)
        @event_queue.awake
        time = Server.now
        index = 0
        while (descriptor = ready[index])
          dispatch(descriptor, ready[index + 1], time)
          index += 2
        end
        deliver(time)
        hurry(time) unless @bulky.empty?
        check_timeouts(time) if time >= @check_at
        drain(time) if @asked_to_stop
      end

      def nap
        return 0 if @asked_to_stop && !@drain
        return 1 unless @bulky.empty?

        @drain ? SHORT_SLEEP : SLEEP
      end

      def dispatch(descriptor, state, time)
        connection = @connections[descriptor]
        return serve(connection, state, time) if connection
        return @event_queue.empty_pipe if descriptor == @event_queue.descriptor

        acceptor = @acceptors[descriptor] or return
        acceptor.accept { |socket| admit(socket, acceptor.tls, time) }
      end

      def open_acceptors = @acceptors.each_value(&:open)

      def deliver(time)
        about = @event_queue.deliver { |block, connection| guard(connection) { block.call } }
        about&.each { |connection| serve(connection, 0, time) unless connection.closed? }
      end

      def serve(connection, state, time)
        return drop(connection) unless connection.tick(state, time)

        drained(connection, time) if @drain
        update(connection)
      rescue *FAULTS => e
        failed(connection, e)
      end

      # An error in the server's code ends only the connection in which it was raised.
      def failed(connection, error)
        @log&.call("#{error.class}: #{error.message.lines.first.to_s.chomp} (#{Array(error.backtrace).first})")
        drop(connection) if connection
      end

      def guard(connection)
        yield
      rescue *FAULTS => e
        failed(connection, e)
      end

      # Reads connections with large bodies regularly, even when only a few bytes arrived.
      def hurry(time)
        late = @bulky.keys.select { |connection| time - connection.active_at >= Connection::LowWaterMark::SECONDS }
        late.each { |connection| serve(connection, READ, time) }
      end

      def update(connection)
        if connection.bulk?
          @bulky[connection] = true
        elsif !@bulky.empty?
          @bulky.delete(connection)
        end
        wanted = connection.wanted
        return if wanted == connection.interest

        @poller.change(connection.descriptor, wanted)
        connection.interest = wanted
      end

      def admit(socket, tls, time)
        if @size >= @limits.connections
          @observer&.refused(nil, :connections, nil)
          return socket.close
        end
        socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, true) if socket.is_a?(TCPSocket)
        open(socket, tls, time)
      rescue *FAULTS => e
        failed(nil, e) unless e.is_a?(SystemCallError) # the peer is already gone
        socket.close
      end

      def open(socket, tls, time)
        made = @proxy_protocol ? Connection::Proxied.new(socket) { transport(socket, tls) } : transport(socket, tls)
        connection = Connection.new(made, **@options)
        @poller.add(connection.descriptor, READ)
        @connections[connection.descriptor] = connection
        @size += 1
        @observer&.opened
        serve(connection, READ, time)
      end

      def transport(socket, tls) = tls ? Connection::TLS.new(socket, tls) : Connection::Plain.new(socket, self)

      # Closes a connection, unless its descriptor already belongs to another one.
      def drop(connection)
        return unless @connections[connection.descriptor].equal?(connection)

        @connections.delete(connection.descriptor)
        @bulky.delete(connection)
        guard(nil) { @poller.remove(connection.descriptor) }
        @size -= 1
        guard(nil) { connection.close }
        open_acceptors
      end

      # Closes connections without progress: the connection is idle, or its peer does not read or keeps its window
      # closed. Each call checks some of the connections.
      def check_timeouts(time)
        begin_check unless @check
        return if @check.step { |connection| ask(connection, time) }

        @check = nil
        @check_at = time + CHECK
      end

      def ask(connection, time)
        guard(connection) { drop(connection) if connection.late?(time) }
      end

      def begin_check
        @check = TimeoutCheck.new(@connections.values)
        @options[:pool].trim
        open_acceptors
        @observer&.every_second(self)
        guard(nil) { @periodic&.every_second }
      end

      # Stops the server in steps. The first step accepts waiting connections and notifies all peers.
      def drain(time)
        return begin_drain(time) unless @drain

        @drain.halt if @at_once
        @drain.each_quiet(@connections.values, time) { |connection| leave(connection, time) }
      end

      def begin_drain(time)
        @drain = Drain.new(time, @limits.drain)
        @drain.halt if @at_once
        @acceptors.each_value { |acceptor| acceptor.shut { |socket| admit(socket, acceptor.tls, time) } }
        @connections.values.each { |connection| guard(connection) { tell(connection) } } # rubocop:disable Style/HashEachMethods
      end

      # Called after a tick of a connection while the server is stopping.
      def drained(connection, time)
        tell(connection) unless @drain.told?(connection)
        @drain.note(connection, time)
      end

      def tell(connection)
        @drain.note(connection, Server.now)
        connection.leave
        update(connection)
      end

      # Closes a quiet connection. Requests that have arrived in the meantime are still answered.
      def leave(connection, time)
        serve(connection, READ, time) if connection.interest & READ != 0
        drop(connection) unless connection.busy?
      end
    end
  end
end
