# frozen_string_literal: true

module Spate
  module Build
    module Run
      # A build process in a separate process group, so that its children can be killed with it.
      class Child
        SCRIPT = File.expand_path("build_script.rb", __dir__)
        # Seconds between SIGTERM and SIGKILL.
        GRACE = 2

        # environment: changes (a Hash for Process.spawn). inherited: {IO => IO}. log: path for the output.
        def initialize(environment, inherited, log)
          @environment = environment
          @inherited = inherited
          @log = log
          @mutex = Mutex.new
          @stopped = false
          @finished = false
        end

        # Runs the process and returns its Process::Status. Kills the process group if this thread is interrupted.
        def run(*arguments)
          read, write = IO.pipe
          thread = start(read, arguments)
          read.close
          thread.value
        ensure
          stop unless thread.nil? || @finished
          write&.close
        end

        # Stops the process and all its children with SIGTERM, then SIGKILL. Thread-safe; may be called at any time.
        def stop
          first = @mutex.synchronize { !@stopped.tap { @stopped = true } }
          end_group if first && @thread && !@finished
          @thread&.join
        end

        def stopped? = @stopped

        private

        def start(lifeline, arguments)
          @mutex.synchronize do
            raise Interrupted, "interrupted" if @stopped

            @pid = Process.spawn(@environment, Util::Ruby.path, *program, lifeline.fileno.to_s, *arguments,
                                 options(lifeline))
            @thread = Thread.new(@pid) { |pid| wait(pid) }
          end
        end

        # Arguments of Ruby: options, if any, and the script.
        def program = [SCRIPT]

        def options(lifeline)
          { lifeline => lifeline, pgroup: true, in: File::NULL,
            %i[out err] => [@log, File::WRONLY | File::CREAT | File::TRUNC, 0o600] }.merge(@inherited)
        end

        def wait(pid)
          _, status = Process.wait2(pid)
          @finished = true
          status
        end

        def end_group
          signal(:TERM)
          @thread.join(GRACE)
          # The process may have exited while a compiler is still running.
          signal(:KILL)
        end

        def signal(name)
          Process.kill(name, -@pid)
        rescue Errno::ESRCH, Errno::EPERM
          nil
        end
      end
    end
  end
end
