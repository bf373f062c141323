# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      # Work that may block, such as writing to a pipe that nobody reads: done in order, on a thread of its own. The
      # caller never waits; what comes while too much is already queued is dropped.
      class BackgroundWriter
        # Bytes that may wait.
        MOST = 1 << 20
        # Seconds that `finish` waits at most.
        PATIENCE = 1

        def initialize(most: MOST)
          @most = most
          @mutex = Mutex.new
          @changed = ConditionVariable.new
          forget
        end

        # The block is called on the sink's thread; what it raises is dropped. bytes: what is kept until then. False
        # where it is dropped. From any thread, not from a signal handler.
        def later(bytes, &work)
          @mutex.synchronize do
            forget if @thread && !@thread.alive? # this process was forked: what waited is its parent's to do
            next false if @size + bytes > @most && @size.positive?

            @thread ||= Thread.new { run }
            @waiting << [bytes, work]
            @size += bytes
            @changed.broadcast
            true
          end
        rescue ThreadError # the system has no more threads: logging that must not fail
          false
        end

        # Waits a while for all of it to be done. Answers whether it is.
        def finish(seconds = PATIENCE)
          until_when = now + seconds
          @mutex.synchronize do
            @changed.wait(@mutex, until_when - now) while @thread&.alive? && busy? && now < until_when
            !busy?
          end
        end

        private

        def forget
          @waiting = []
          @size = 0
          @working = @thread = nil
        end

        def busy? = @working || @waiting.any?

        def run
          loop do
            bytes, work = take
            call(work)
            done(bytes)
          end
        end

        def take
          @mutex.synchronize do
            @changed.wait(@mutex) while @waiting.empty?
            @working = true
            @waiting.shift
          end
        end

        def call(work)
          work.call
        rescue StandardError
          nil # nobody listens
        end

        def done(bytes)
          @mutex.synchronize do
            @size -= bytes
            @working = nil
            @changed.broadcast
          end
        end

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
