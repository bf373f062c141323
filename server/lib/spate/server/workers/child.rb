# frozen_string_literal: true

require "socket"

module Spate
  module Server
    module Workers
      # A worker process, seen by its parent. A socket connects the two: the worker writes one byte when it is ready,
      # the parent one letter per command; end of file means that the other process is gone.
      class Child
        READY = "+"
        STOP = "s"
        HALT = "h"
        RELOAD = "r"

        # row: of the worker's counters. pid; io: the socket; started_at: seconds, monotonic.
        attr_reader :row, :pid, :io, :started_at

        # Forks; the block runs in the child with its end of the socket.
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

        # Reads the child's byte.
        def listen
          @ready = true if @io.read_nonblock(1, exception: false) == READY
        rescue SystemCallError
          nil # it died; gone? reports that
        end

        # Whether it ended; `status` is its Process::Status then.
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

        # "signal 9", "exit code 1".
        def end_in_words
          @status&.signaled? ? "signal #{@status.termsig}" : "exit code #{@status&.exitstatus}"
        end

        private

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
