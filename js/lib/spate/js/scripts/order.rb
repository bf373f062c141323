# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # Runs jobs side by side: one starts when all it needs have ended.
      class Order
        def initialize(jobs, threads)
          @waiting = jobs.dup
          @running = []
          @threads = [threads, jobs.size].min
          @mutex = Mutex.new
          @changed = ConditionVariable.new
        end

        # Yields each job, in several threads. The first error ends it, once what runs has ended; stop: called then.
        def each(stop:, &block)
          threads = Array.new(@threads) { Thread.new { work(&block) } }
          threads.each(&:join)
          raise @error if @error
        rescue ::Interrupt
          give_up(nil)
          stop.call
          threads&.each(&:join)
          raise
        end

        private

        def work
          while (job = take)
            begin
              yield job
            rescue StandardError => e
              give_up(e)
            ensure
              @mutex.synchronize do
                @running.delete(job)
                @changed.broadcast
              end
            end
          end
        end

        def give_up(error)
          @mutex.synchronize do
            @error ||= error
            @waiting.clear
            @changed.broadcast
          end
        end

        def take
          @mutex.synchronize do
            until @waiting.empty?
              job = @waiting.find { |each| ready?(each) } || (@waiting.first if @running.empty?)
              return start(job) if job

              @changed.wait(@mutex)
            end
          end
        end

        def ready?(job) = job.needs.none? { |other| @waiting.include?(other) || @running.include?(other) }

        def start(job)
          @waiting.delete(job)
          @running << job
          job
        end
      end
    end
  end
end
