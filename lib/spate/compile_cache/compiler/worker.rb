# frozen_string_literal: true

module Spate
  module CompileCache
    class Compiler
      # A child process that builds compile caches. It reads Jobs from stdin and writes Results to stdout.
      class Worker
        SCRIPT = "#{__dir__}/worker_script.rb".freeze

        def initialize
          child_input, @input = IO.pipe(binmode: true)
          ruby = Boot::Background::RubyOptions
          @child = Util::Child.new(environment, *ruby.current, SCRIPT, *ruby.load_path, report: :out, in: child_input,
                                                                                        chdir: "/")
        rescue SystemCallError
          @input&.close
          raise
        ensure
          child_input&.close
        end

        def output = @child.pipe
        def busy? = !@job.nil?
        def dead? = @child.nil?

        def give(job)
          @job = job
          Marshal.dump(job, @input)
          @input.flush
        rescue Errno::EPIPE
          nil # `result` detects that the child has died
        end

        # Waits for the Result of the current job.
        def result
          job = @job
          result = @child.receive
          @job = nil
          return result if result

          stop
          Result.new(path: job.path, error: ["ChildDied", "the process that compiled #{job.path} died"])
        end

        def kill = @child&.kill

        # Closes the child's stdin and waits until the child exits.
        def stop
          return if dead?

          kill if busy?
          @input.close
          @child.close
          @child = nil
        end

        private

        def environment = ENV.to_h.slice("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "LD_LIBRARY_PATH")
      end
    end
  end
end
