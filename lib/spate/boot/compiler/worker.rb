# frozen_string_literal: true

module Spate
  module Boot
    class Compiler
      # A child that makes images: Jobs to its standard input, Results from its standard output.
      class Worker
        SCRIPT = File.expand_path("../compile_script.rb", __dir__)

        attr_reader :output

        def initialize
          child_input, @input = IO.pipe(binmode: true)
          @output, child_output = IO.pipe(binmode: true)
          @pid = Process.spawn(environment, Layout::Ruby.path, *RubyOptions.current, SCRIPT, *Compiler.load_path,
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

        # Of the job that it was given; waits for it.
        def result
          result = Marshal.load(@output) # rubocop:disable Security/MarshalLoad -- of a child of our own
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
