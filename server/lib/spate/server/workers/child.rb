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

        # row: the index of the worker's counters. pid: the process id. io: the parent's end of the socket. started_at:
        # seconds, monotonic.
        attr_reader :row, :pid, :io, :started_at

        # Forks. The block runs in the child with the child's end of the socket.
        def initialize(row)
          @row = row
          @started_at = now
          @io, other = UNIXSocket.pair
          @pid = Process.fork do
            @io.close
            yield other
          end
          other.close
        end

        def ready? = @ready

        # Reads the byte that reports that the worker is ready.
        def listen
          @ready = true if @io.read_nonblock(1, exception: false) == READY
        rescue SystemCallError
          nil # the worker died; gone? reports that
        end

        # Whether the worker has ended. If so, `status` is its Process::Status.
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

        def lived = now - @started_at

        def tell(letter)
          @io.write_nonblock(letter, exception: false)
        rescue SystemCallError, IOError
          nil
        end

        def kill
          Process.kill(:KILL, @pid)
        rescue Errno::ESRCH
          nil
        end

        # Describes how the worker ended: "signal 9", "exit code 1".
        def end_in_words
          @status&.signaled? ? "signal #{@status.termsig}" : "exit code #{@status&.exitstatus}"
        end

        private

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
