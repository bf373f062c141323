# frozen_string_literal: true

module Spate
  module Server
    class Reactor
      # Accepts connections. Pauses when descriptors run out, and stops when the server stops.
      class Acceptor
        # Maximum number of connections accepted in one tick, so that open connections are served in between.
        ACCEPTS = 16
        READ = 1
        # EPOLLEXCLUSIVE: the kernel wakes only one of several waiting workers.
        EXCLUSIVE = 4

        # tls: the result of Connection::TLS.load for connections of this socket; nil for clear text.
        attr_reader :tls

        # shared: whether other processes wait on the same socket.
        def initialize(listener, poller, tls: nil, shared: false, log: nil)
          @listener = listener
          @tls = tls
          @descriptor = listener.fileno
          @poller = poller
          @interest = shared ? READ | EXCLUSIVE : READ
          @log = log
          @open = @shut = false
          @complained_at = 0
        end

        def open
          return if @open || @shut

          @poller.add(@descriptor, @interest)
          @open = true
        end

        # Yields the sockets of waiting connections.
        def accept
          ACCEPTS.times do
            socket = @listener.accept_nonblock(exception: false)
            return step_back if socket == :wait_readable

            yield socket
          end
        rescue Errno::ECONNABORTED, Errno::EPROTO
          nil
        rescue SystemCallError => e # no descriptors or memory, or a firewall or network error: accept(2)
          complain(e)
          close
        end

        # Stops permanently. Connections in the queue are accepted. Later connections are refused, unless another
        # process listens.
        def shut
          close
          @shut = true
          while (socket = waiting)
            yield socket
          end
          @listener.close
        end

        private

        def close
          @poller.remove(@descriptor) if @open
          @open = false
        end

        # Logs at most one line per second.
        def complain(error)
          now = Server.now
          return if now - @complained_at < 1

          @complained_at = now
          @log&.call("accept: #{error.message}: accepting pauses until a connection ends, or for a second")
        end

        def waiting
          socket = @listener.accept_nonblock(exception: false)
          socket == :wait_readable ? nil : socket
        rescue SystemCallError, IOError
          nil
        end

        # Moves this worker to the end of the socket's wait queue. The kernel wakes the first worker in the queue
        # without moving it, so one worker would accept all connections at low load.
        def step_back
          return if @interest == READ

          close
          open
        end
      end
    end
  end
end
