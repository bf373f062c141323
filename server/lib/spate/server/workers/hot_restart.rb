# frozen_string_literal: true

require "rbconfig"

module Spate
  module Server
    module Workers
      # Starts the same command again with the listening sockets of this process, and waits until the new server is
      # ready.
      class HotRestart
        # Name of the environment variable with the descriptor on which the new server reports that it is ready.
        READY = "SPATE_SERVE_READY"
        WORD = "ready\n"
        # Seconds after which the restart fails.
        TIMEOUT = 120

        # Called in the new server: reports readiness to the old server, once. Calls the block when the old server (the
        # parent process) has ended.
        def self.ready(env, &block)
          descriptor = env.delete(READY) or return
          old = Process.ppid
          IO.open(descriptor.to_i, "w") { |io| io.write(WORD) }
          Thread.new do
            sleep 0.5 while Process.ppid == old
            block.call
          end
        rescue SystemCallError
          nil # the old server is gone
        end

        attr_reader :pid, :io

        # command: a Command. sockets: Sockets. Raises SystemCallError when the command cannot be started.
        def initialize(command, sockets)
          @io, writer = IO.pipe
          env, descriptors = sockets.hand_over
          env = env.merge(READY => writer.fileno.to_s, "PWD" => command.folder)
          options = { writer.fileno => writer.fileno, :chdir => command.folder, :close_others => true }
          @pid = Process.spawn(env, *command.words, descriptors.merge(options))
          @until = Server.now + TIMEOUT
        ensure
          writer&.close
        end

        # Stops the new server, because the old server has received a stop signal in the meantime.
        def cancel
          Process.kill(:TERM, @pid)
        rescue Errno::ESRCH
          nil
        end

        # Returns :ready, :failed, or nil while the new server is starting.
        def state
          text = @io.read_nonblock(WORD.bytesize, exception: false)
          return Server.now > @until ? time_out : nil if text == :wait_readable

          text ? succeed : failed
        end

        # Returns the reason of a failure as text.
        def reason
          return "it was not ready after #{TIMEOUT} s" if @timed_out

          @status&.signaled? ? "signal #{@status.termsig}" : "exit code #{@status&.exitstatus}"
        end

        private

        def succeed
          @io.close
          Process.detach(@pid)
          :ready
        end

        def time_out
          @timed_out = true
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
      end

      # `bin/rails restart` touches this file to request a restart.
      class RestartFile
        PATH = "tmp/restart.txt"
        # Seconds between two checks.
        PAUSE = 2

        def initialize
          @path = File.expand_path(PATH)
          @time = time
        end

        # Whether the file was touched since the last call.
        def touched?
          before = @time
          @time = time
          !@time.nil? && @time != before
        end

        private

        def time
          File.mtime(@path)
        rescue SystemCallError
          nil
        end
      end

      # The command line of this program, used to start the program again.
      class Command
        attr_reader :words, :folder

        # program: the path of the Ruby program.
        def initialize(program, argv, env, ruby: RbConfig.ruby)
          @words = [ruby, File.expand_path(program), *argv]
          @folder = folder_of(env)
        end

        private

        # Returns the current folder as the shell spells it, because a symlink in the path may lead to a new release
        # after a restart.
        def folder_of(env)
          spelled = env["PWD"].to_s
          spelled.start_with?("/") && File.identical?(spelled, ".") ? spelled : Dir.pwd
        end
      end
    end
  end
end
