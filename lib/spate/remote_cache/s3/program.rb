# frozen_string_literal: true

module Spate
  module RemoteCache
    class S3
      # A program that prints credentials. One that takes longer than an install may wait is ended, with all that it
      # started.
      module Program
        # Seconds.
        LIMIT = 10

        # What it prints. No shell: words are the program and its arguments. Raises SystemCallError where there is none
        # such, ArgumentError where it fails.
        def self.said(env, words, limit: LIMIT)
          output, input = IO.pipe
          pid = Process.spawn(env, *words, in: File::NULL, out: input, pgroup: true)
          input.close
          ends = [Thread.new { output.read }, Process.detach(pid)]
          ended = within(limit, ends) or raise ArgumentError, "it was not at its end after #{limit} seconds"
          said, status = ended.map(&:value)
          status.success? ? said : raise(ArgumentError, "it ended with #{status.exitstatus || status.to_s}")
        ensure
          finish(pid, ends) if ends && !ended
          [output, input].each(&:close)
        end

        # The threads, nil where they did not all end in so many seconds.
        def self.within(limit, threads)
          ends = Process.clock_gettime(Process::CLOCK_MONOTONIC) + limit
          threads if threads.all? do |thread|
            thread.join([ends - Process.clock_gettime(Process::CLOCK_MONOTONIC), 0].max)
          end
        end

        def self.finish(pid, (reading, ending))
          Process.kill(:KILL, -pid)
        rescue Errno::ESRCH
          nil # it has left its group
        ensure
          reading.kill
          ending.join
        end
        private_class_method :within, :finish
      end
    end
  end
end
