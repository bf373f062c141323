# frozen_string_literal: true

module Spate
  module Images
    class Compiler
      # A child that makes images: reads Jobs from its standard input, writes Results to its standard output.
      class Worker
        SCRIPT = "#{__dir__}/worker_script.rb".freeze

        attr_reader :output

        def initialize
          child_input, @input = IO.pipe(binmode: true)
          @output, child_output = IO.pipe(binmode: true)
          ruby = Boot::Background::RubyOptions
          @pid = Process.spawn(environment, Ground::Ruby.path, *ruby.current, SCRIPT, *ruby.load_path,
                               in: child_input, out: child_output, unsetenv_others: true, chdir: "/")
          [child_input, child_output].each(&:close)
        end

        def busy? = !@job.nil?
        def dead? = @pid.nil?

        def give(job)
          @job = job
          Marshal.dump(job, @input)
          @input.flush
        rescue Errno::EPIPE
          nil # its output ends, which `result` sees
        end

        # The Result of its job; waits for it.
        def result
          result = Marshal.load(@output) # rubocop:disable Security/MarshalLoad -- from a child of our own
          @job = nil
          result
        rescue EOFError, TypeError, ArgumentError
          failed = Result.new(path: @job.path, error: ["ChildDied", "the child that compiled #{@job.path} died"])
          @job = nil
          stop
          failed
        end

        def kill
          Process.kill(:KILL, @pid) if @pid
        rescue Errno::ESRCH
          nil
        end

        # Waits for its end, which comes with the end of its input.
        def stop
          return unless @pid

          kill if busy?
          [@input, @output].each(&:close)
          Process.wait(@pid)
          @pid = nil
        end

        private

        def environment = ENV.to_h.slice("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "LD_LIBRARY_PATH")
      end
    end
  end
end
