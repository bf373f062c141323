# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # Threads that work on what they are given, one thing after another. Made when the first thing comes, so that each
      # process of several has its own.
      class ThreadPool
        attr_reader :threads

        # waiting: things that may wait. work: called with each thing on a thread of the pool; it must not raise.
        def initialize(threads, waiting, &work)
          @threads = threads
          @waiting = waiting
          @work = work
          @queue = Thread::Queue.new
          @running = []
        end

        # False where too much waits. urgent: never refused.
        def push(thing, urgent: false)
          start unless @running.last&.alive?
          return false if !urgent && backlog >= @waiting

          @queue << thing
          true
        rescue ClosedQueueError
          false
        end

        # Things that wait, threads that do.
        def backlog = [@queue.size - @queue.num_waiting, 0].max
        def idle = [@queue.num_waiting - @queue.size, 0].max

        # Takes no more. What is queued has so many seconds to finish.
        def close(seconds)
          limit = now + seconds
          @queue.close
          @running.each { |thread| thread.join([limit - now, 0].max) || thread.kill }
        end

        private

        def start
          @running = Array.new(@threads) do |index|
            Thread.new { run }.tap { |thread| thread.name = "rack #{index + 1}" }
          end
          Thread.pass until @queue.num_waiting == @threads
        end

        # An application that ends its thread ends this one's work, not the pool's.
        def run
          while (thing = @queue.pop)
            @work.call(thing)
          end
          ended = true
        ensure
          replace(Thread.current) unless ended || @queue.closed?
        end

        def replace(thread)
          index = @running.index(thread) or return
          @running[index] = Thread.new { run }
        rescue ThreadError
          nil # the process ends
        end

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
