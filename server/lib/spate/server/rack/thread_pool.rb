# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # Threads that process queued items. They start with the first item, so that each forked process has its own
      # threads.
      class ThreadPool
        # Seconds to wait for threads to start, and before a thread is replaced that a hook has ended.
        SECONDS = 1

        attr_reader :threads

        # waiting: maximum number of queued items. work: called with each item on a thread of the pool. hook: called
        # with :before_thread_start and :before_thread_exit on each thread. Neither may raise an error.
        def initialize(threads, waiting, hook: ->(_name) {}, &work)
          @threads = threads
          @waiting = waiting
          @hook = hook
          @work = work
          @queue = Thread::Queue.new
          @running = []
        end

        # Queues an item. Returns false when the queue is full. urgent: queues the item even then.
        def push(thing, urgent: false)
          start unless @running.last&.alive?
          return false if !urgent && backlog >= @waiting

          @queue << thing
          true
        rescue ClosedQueueError
          false
        end

        # Number of queued items for which no thread is idle.
        def backlog = [@queue.size - @queue.num_waiting, 0].max
        def idle = [@queue.num_waiting - @queue.size, 0].max

        # Accepts no more items. Queued items have this many seconds to finish.
        def close(seconds)
          limit = Server.now + seconds
          @queue.close
          @running.each { |thread| thread.join([limit - Server.now, 0].max) || thread.kill }
        end

        private

        def start
          @running = Array.new(@threads) do |index|
            Thread.new { run }.tap { |thread| thread.name = "rack #{index + 1}" }
          end
          limit = Server.now + SECONDS # for a slow hook
          Thread.pass until @queue.num_waiting == @threads || Server.now > limit
        end

        # Processes items. An application that kills its thread ends only the current item, not the thread of the pool.
        def run
          @hook.call(:before_thread_start)
          started = true
          while (thing = @queue.pop)
            @work.call(thing)
          end
          ended = true
        ensure
          @hook.call(:before_thread_exit)
          replace(Thread.current, started ? 0 : SECONDS) unless ended || @queue.closed?
        end

        def replace(thread, pause)
          index = @running.index(thread) or return
          @running[index] = Thread.new do
            sleep pause
            run
          end
        rescue ThreadError
          nil # the process ends
        end
      end
    end
  end
end
