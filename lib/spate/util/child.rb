# frozen_string_literal: true

module Spate
  module Util
    # A Ruby in a child process that reports to this one through a pipe. Its other output goes elsewhere.
    class Child
      # The child's file descriptor for its report.
      REPORT = 3

      # Yields the child and waits for its end; kills it where the block raises. Answers what the block answers.
      def self.run(...)
        child = new(...)
        yield(child).tap { child.status }
      ensure
        child&.finish
      end

      # Whether the process is running, also if it belongs to another user.
      def self.alive?(pid)
        Process.kill(0, pid)
        true
      rescue Errno::ESRCH, RangeError
        false
      rescue Errno::EPERM
        true
      end

      # environment: all that the child gets; with unsetenv_others: false, what changes. words: Ruby's options, a script
      # and its arguments. report: where the pipe is in the child. options: of Process.spawn.
      def initialize(environment, *words, report: REPORT, **options)
        @pipe, report_end = IO.pipe(binmode: true)
        @pid = Process.spawn(environment, Ruby.path, *words, in: File::NULL, close_others: true, unsetenv_others: true,
                                                             **options, report => report_end)
        @group = options[:pgroup]
      ensure
        report_end&.close
        @pipe&.close unless @pid
      end

      # For IO.select.
      attr_reader :pipe

      # The bytes of its report, once that is whole.
      def read = @pipe.read

      # The object that it reports, by Marshal; nil where it ends without.
      def value = load(read)

      # The next object that it reports; nil where it ends without.
      def receive = load(@pipe)

      # Yields each object that it reports, as they come.
      def each
        while (object = receive)
          yield object
        end
      end

      # Waits for its end.
      def status = @status ||= Process.wait2(@pid).last

      # From any thread. With all that it started, where it leads a process group.
      def kill(signal = :KILL)
        Process.kill(signal, @group ? -@pid : @pid) unless @status
      rescue Errno::ESRCH
        nil
      end

      def finish
        kill
        close
      end

      # Waits for its end, without its report.
      def close
        @pipe.close
        status
      end

      private

      # Our own child wrote it.
      def load(source)
        Marshal.load(source) # rubocop:disable Security/MarshalLoad
      rescue EOFError, TypeError, ArgumentError
        nil
      end
    end
  end
end
