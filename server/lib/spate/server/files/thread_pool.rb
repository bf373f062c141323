# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Runs slow work (compression, large folders), so that the reactor is not blocked. Threads start with the first
      # job, and again after a fork.
      class ThreadPool
        # Number of jobs that may wait before clients get 503.
        MOST = 1000

        def initialize(count)
          @count = count
          @jobs = Thread::Queue.new
          @threads = []
          @process = nil
        end

        def busy? = @jobs.size > MOST

        # Queues a job. If the block raises an error, the error is written to standard error and the thread continues
        # with the next job.
        def post(&job)
          start unless @process == Process.pid
          @jobs << job
          self
        end

        def close
          @jobs.close
          @threads.each(&:join) if @process == Process.pid
        end

        private

        def start
          @jobs = Thread::Queue.new if @process
          @process = Process.pid
          @threads = Array.new(@count) do
            Thread.new do
              while (job = @jobs.pop)
                perform(job)
              end
            end
          end
        end

        def perform(job)
          job.call
        rescue Exception => e # rubocop:disable Lint/RescueException -- NoMemoryError and SystemStackError among them
          warn "#{e.class}: #{e.message} (#{e.backtrace&.first})"
        end
      end
    end
  end
end
