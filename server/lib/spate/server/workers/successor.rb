# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # The same command, started anew, with the sockets of this process. It says when it is ready.
      class Successor
        # Its environment: the descriptor on which it says so.
        READY = "SPATE_SERVE_READY"
        WORD = "ready\n"
        # Seconds that it has.
        PATIENCE = 120

        # In the successor: tells the server before it, once.
        def self.ready(env)
          descriptor = env.delete(READY) or return
          IO.open(descriptor.to_i, "w") { |io| io.write(WORD) }
        rescue SystemCallError
          nil # that one is gone
        end

        attr_reader :pid, :io

        # command: a Command. sockets: Sockets. SystemCallError where it cannot be started.
        def initialize(command, sockets)
          @io, writer = IO.pipe
          env, descriptors = sockets.hand_over
          env = env.merge(READY => writer.fileno.to_s, "PWD" => command.folder)
          options = { writer.fileno => writer.fileno, :chdir => command.folder, :close_others => true }
          @pid = Process.spawn(env, *command.words, descriptors.merge(options))
          @until = now + PATIENCE
        ensure
          writer&.close
        end

        # The server is to stop, not to go on under another number.
        def cancel
          Process.kill(:TERM, @pid)
        rescue Errno::ESRCH
          nil
        end

        # :ready, :failed, or nil as long as neither is known.
        def state
          text = @io.read_nonblock(WORD.bytesize, exception: false)
          return now > @until ? fail_late : nil if text == :wait_readable

          text ? succeed : failed
        end

        # In words, after it failed.
        def reason
          return "it was not ready after #{PATIENCE} s" if @late

          @status&.signaled? ? "signal #{@status.termsig}" : "exit code #{@status&.exitstatus}"
        end

        private

        def succeed
          @io.close
          Process.detach(@pid)
          :ready
        end

        def fail_late
          @late = true
          Process.kill(:KILL, @pid)
          failed
        rescue Errno::ESRCH
          failed
        end

        def failed
          @io.close
          _, @status = Process.wait2(@pid)
          :failed
        rescue Errno::ECHILD
          :failed
        end

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
