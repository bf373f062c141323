# frozen_string_literal: true

module Spate
  module Util
    # A Ruby child process that reports to this process through a pipe. Its other output goes elsewhere.
    class Child
      # The file descriptor in the child for its report.
      REPORT = 3

      # Yields the child and waits for its end; kills it if the block raises. Returns the block's value.
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

      # environment: all variables of the child; with unsetenv_others: false, only the changed ones. words: Ruby's
      # options, a script and its arguments. report: the pipe's file descriptor in the child. options: those of
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

      # The bytes of the complete report.
      def read = @pipe.read

      # The object reported by the child with Marshal; nil if the child ends without a report.
      def value = load(read)

      # The next object reported by the child; nil if the child ends without another one.
      def receive = load(@pipe)

      # Yields each object reported by the child as it arrives.
      def each
        while (object = receive)
          yield object
        end
      end

      # Waits for the child's end and returns its status.
      def status = @status ||= Process.wait2(@pid).last

      # Kills the child, including its process group if it leads one. May be called by any thread.
      def kill(signal = :KILL)
        Process.kill(signal, @group ? -@pid : @pid) unless @status
      rescue Errno::ESRCH
        nil
      end

      def finish
        kill
        close
      end

      # Waits for the child's end without reading its report.
      def close
        @pipe.close
        status
      end

      private

      # Marshal is safe here: the report was written by our own child process.
      def load(source)
        Marshal.load(source) # rubocop:disable Security/MarshalLoad
      rescue EOFError, TypeError, ArgumentError
        nil
      end
    end
  end
end
