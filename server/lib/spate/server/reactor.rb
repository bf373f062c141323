# frozen_string_literal: true

require "socket"
require "spate/bytes"

module Spate
  module Server
    # One thread, one poller, many connections: each has its turn, none waits for another's peer.
    class Reactor
      # Bytes of one read.
      INPUT = 131_072
      # Connections taken at once.
      ACCEPTS = 64
      READ = 1

      # Connections that are open.
      attr_reader :size

      # handler: `call(request)` answers a Response, or nil and answers later. log: called with a line.
      def initialize(listener, handler, limits: Limits.defaults, log: nil)
        @listener = listener
        @options = { input: ArrayBuffer.new(INPUT), pool: [], handler: handler, limits: limits, log: log }
        @limits = limits
        @poller = defined?(Native::Poller) ? Native::Poller.new : SelectPoller.new
        @connections = {}
        @wake, @waker = IO.pipe
        @swept_at = now
        @size = 0
      end

      # Returns when `stop` was called and all is drained.
      def run
        [@listener, @wake].each { |io| @poller.add(io.fileno, READ) }
        ready = []
        turn(ready) until @stopping && (@connections.empty? || now > @stop_at)
      ensure
        @connections.each_value(&:close)
        @poller.close
      end

      # From any thread or signal handler.
      def stop = @waker.write_nonblock("x", exception: false)

      private

      def turn(ready)
        @poller.wait(1000, ready)
        time = now
        index = 0
        while (descriptor = ready[index])
          dispatch(descriptor, ready[index + 1], time)
          index += 2
        end
        sweep(time) if time - @swept_at >= 1
      end

      def dispatch(descriptor, state, time)
        connection = @connections[descriptor]
        return serve(connection, state, time) if connection
        return accept(time) if descriptor == @listener.fileno && !@stopping

        drain if descriptor == @wake.fileno
      end

      def serve(connection, state, time)
        return drop(connection) unless connection.turn(state, time)

        update(connection)
      end

      def update(connection)
        wanted = connection.wanted
        return if wanted == connection.interest

        @poller.change(connection.descriptor, wanted)
        connection.interest = wanted
      end

      def accept(time)
        ACCEPTS.times do
          socket = @listener.accept_nonblock(exception: false)
          return if socket == :wait_readable

          @size >= @limits.connections ? socket.close : open(socket, time)
        end
      rescue Errno::ECONNABORTED
        nil
      rescue Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS, Errno::ENOMEM => e
        pause(e)
      end

      # Whoever waits at the door is not let in before the next sweep: asking again at once would only take time.
      def pause(error)
        @options[:log]&.call("accept: #{error.message}")
        @poller.remove(@listener.fileno)
        @paused = true
      end

      def resume
        @poller.add(@listener.fileno, READ)
        @paused = false
      end

      def open(socket, time)
        socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, true) if socket.is_a?(TCPSocket)
        connection = Connection.new(socket, **@options)
        @connections[connection.descriptor] = connection
        @poller.add(connection.descriptor, READ)
        @size += 1
        serve(connection, READ, time)
      end

      def drop(connection)
        @connections.delete(connection.descriptor)
        @poller.remove(connection.descriptor)
        connection.close
        @size -= 1
      end

      # Connections on which nothing moves: idle ones, and those whose peer does not read or whose window stays shut.
      def sweep(time)
        @swept_at = time
        late = @connections.each_value.select { |connection| time - connection.active_at > @limits.idle }
        late.each { |connection| drop(connection) }
        resume if @paused && !@stopping
      end

      def drain
        @wake.read_nonblock(64, exception: false)
        return if @stopping

        @stopping = true
        @stop_at = now + @limits.drain
        @poller.remove(@listener.fileno) unless @paused
        @connections.values.each { |connection| connection.leave ? update(connection) : drop(connection) } # rubocop:disable Style/HashEachMethods
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
