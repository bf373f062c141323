# frozen_string_literal: true

module Spate
  module Util
    # A Ruby child process that sends its result to this process through a pipe.
    class Child
      # The child's file descriptor of the pipe.
      REPORT = 3

      # Yields the child, then waits until it exits. Kills it if the block raises an error. Returns the block's value.
      def self.run(...)
        child = new(...)
        yield(child).tap { child.status }
      ensure
        child&.finish
      end

      # Whether a process is running, even if it belongs to another user.
      def self.alive?(pid)
        Process.kill(0, pid)
        true
      rescue Errno::ESRCH, RangeError
        false
      rescue Errno::EPERM
        true
      end

      # environment: all variables of the child or, with unsetenv_others: false, only the changed ones. words: Ruby's
      # options, a script and its arguments. report: the pipe's file descriptor in the child. options: see
      # Process.spawn.
      def initialize(environment, *words, report: REPORT, **options)
        @pipe, report_end = IO.pipe(binmode: true)
        @pid = Process.spawn(environment, Ruby.path, *words, in: File::NULL, close_others: true, unsetenv_others: true,
                                                             **options, report => report_end)
        @group = options[:pgroup]
      ensure
        report_end&.close
        @pipe&.close unless @pid
      end

      # The reading end of the pipe, for IO.select.
      attr_reader :pipe

      # Reads everything that the child writes to the pipe.
      def read = @pipe.read

      # The object that the child sends with Marshal, or nil if it exits without one.
      def value = load(read)

      # The next object that the child sends, or nil if it exits without another one.
      def receive = load(@pipe)

      # Yields each object that the child sends.
      def each
        while (object = receive)
          yield object
        end
      end

      # Waits until the child exits, and returns its Process::Status.
      def status = @status ||= Process.wait2(@pid).last

      # Kills the child, or its process group if it has its own. May be called by any thread.
      def kill(signal = :KILL)
        Process.kill(signal, @group ? -@pid : @pid) unless @status
      rescue Errno::ESRCH
        nil
      end

      def finish
        kill
        close
      end

      # Waits until the child exits, without reading from the pipe.
      def close
        @pipe.close
        status
      end

      private

      # Marshal is safe, since the data is from our own child process.
      def load(source)
        Marshal.load(source) # rubocop:disable Security/MarshalLoad
      rescue EOFError, TypeError, ArgumentError
        nil
      end
    end
  end
end
