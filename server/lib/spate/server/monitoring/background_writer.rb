# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      # Runs work that may block (such as writing to a pipe without a reader) on its own thread, in the order in which
      # it was queued. The caller never waits; work is dropped when too much is queued.
      class BackgroundWriter
        # Maximum bytes that are queued.
        MOST = 1 << 20
        # The longest wait of `finish` in seconds.
        PATIENCE = 1

        def initialize(most: MOST)
          @most = most
          @mutex = Mutex.new
          @changed = ConditionVariable.new
          forget
        end

        # The block is called on the writer's thread; its errors are ignored. bytes: memory that the queued work uses.
        # Returns false when the work is dropped. May be called from any thread, but not from a signal handler.
        def later(bytes, &work)
          @mutex.synchronize do
            forget if @thread && !@thread.alive? # in a forked process; the parent does the work that it queued
            next false if @size + bytes > @most && @size.positive?

            @thread ||= Thread.new { run }
            @waiting << [bytes, work]
            @size += bytes
            @changed.broadcast
            true
          end
        rescue ThreadError # no more threads: logging must not raise
          false
        end

        # Waits for the queued work. Returns whether all of it was done in time.
        def finish(seconds = PATIENCE)
          until_when = Server.now + seconds
          @mutex.synchronize do
            @changed.wait(@mutex, until_when - Server.now) while @thread&.alive? && busy? && Server.now < until_when
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
          nil # stderr is closed
        end

        def done(bytes)
          @mutex.synchronize do
            @size -= bytes
            @working = nil
            @changed.broadcast
          end
        end
      end
    end
  end
end
