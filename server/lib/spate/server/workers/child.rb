# frozen_string_literal: true

require "socket"

module Spate
  module Server
    module Workers
      # A worker process, as seen by its parent. A socket connects the two processes: the worker writes one byte when it
      # is ready, and the parent writes one letter per command. End of file means that the other process is gone.
      class Child
        READY = "+"
        STOP = "s"
        HALT = "h"
        RELOAD = "r"

        # row: the index of the worker's counters. pid: the process id. io: the parent's end of the socket. started_at,
        # ready_at: seconds, monotonic; ready_at is nil until the worker is ready.
        attr_reader :row, :pid, :io, :started_at, :ready_at

        # Forks. The block runs in the child with the child's end of the socket.
        def initialize(row)
          @row = row
          @started_at = Server.now
          @io, other = UNIXSocket.pair
          @pid = Process.fork do
            @io.close
            yield other
          end
          other.close
        end

        def ready? = !@ready_at.nil?

        # Reads the byte that reports that the worker is ready.
        def listen
          @ready_at = Server.now if @io.read_nonblock(1, exception: false) == READY
        rescue SystemCallError
          nil # the worker died; gone? reports that
        end

        # Reaps the worker if it has ended, sets `status` to its Process::Status, and returns whether it has ended.
        def gone?
          @gone ||= begin
            pid, @status = Process.wait2(@pid, Process::WNOHANG)
            @io.close if pid
            !pid.nil?
          end
        rescue Errno::ECHILD
          @gone = true
        end

        attr_reader :status

        # Names of puma, for the hook after_worker_shutdown, which receives this object.
        alias process_status status
        def index = @row - 1

        def lived = Server.now - @started_at

        def tell(letter)
          @io.write_nonblock(letter, exception: false)
        rescue SystemCallError, IOError
          nil
        end

        def killed? = @killed

        def kill
          @killed = true
          Process.kill(:KILL, @pid)
        rescue Errno::ESRCH
          nil
        end

        # Describes how the worker ended: "signal 9", "exit code 1".
        def end_in_words
          @status&.signaled? ? "signal #{@status.termsig}" : "exit code #{@status&.exitstatus}"
        end
      end

      # The main program of a child process. It keeps only its own sockets, and gets commands from its parent instead of
      # signals.
      class ChildMain
        # channel: the socket to the parent. keep: sockets that the child needs.
        def initialize(channel, keep:, err:)
          @channel = channel
          @keep = [channel, *keep]
          @err = err
        end

        # Serves until the worker is stopped, and then ends the process. The block returns the Worker.
        def run
          forget_the_parents
          worker = yield
          signals(worker.reactor)
          Thread.new { obey(worker) }
          worker.work do
            @channel.write(Child::READY)
            worker.reactor.run
          end
          exit(0)
        rescue Server::Error => e
          tell(e.message, *(e.hint && "hint: #{e.hint}"))
          exit(e.exit_code)
        rescue LoadError, SyntaxError, StandardError => e
          tell("#{e.class}: #{e.message}", *Array(e.backtrace).first(5))
          exit(1)
        end

        private

        # Writes the lines at once, because other processes write to the same stream.
        def tell(*lines) = @err.write("error: #{lines.join("\n")}\n")

        # Closes the parent's sockets, because a connection does not end while another process has a copy of its socket.
        def forget_the_parents
          Signal.trap("CHLD", "DEFAULT")
          %w[TERM INT HUP USR2].each { |name| Signal.trap(name, "IGNORE") }
          ObjectSpace.each_object(BasicSocket) do |socket|
            socket.close unless socket.closed? || @keep.any? { |kept| kept.equal?(socket) }
          end
        end

        # Ctrl-C reaches all processes of a terminal, but the parent decides when to stop. TERM stops only this child.
        def signals(reactor)
          Signal.trap("TERM") { reactor.stop }
        end

        # Executes the parent's commands. Stops when the parent is gone.
        def obey(worker)
          while (letter = @channel.read(1))
            case letter
            when Child::RELOAD then worker.reload
            when Child::STOP then worker.reactor.stop
            when Child::HALT then worker.reactor.halt
            end
          end
          worker.reactor.stop
        rescue SystemCallError, IOError
          worker.reactor.stop
        end
      end
    end
  end
end
