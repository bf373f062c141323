# frozen_string_literal: true

require "etc"

module Runner
  # Runs the jobs, several at a time, and reports the results.
  #
  # Tests with clocks, sockets and signals share the processors with other jobs here. A failed job is run again alone.
  # If it then passes twice, it counts as passed, and the summary lists it as unsteady, with the output of the failure
  # above it. With strict: it counts as failed.
  class Run
    # If more jobs than this failed, none is run again.
    ACCIDENTS = 3
    # How often a failed job must then pass.
    ALONE = 2

    # The number of concurrent jobs. Test programs wait for a clock, a disk or a peer for half of their time.
    def self.workers = Etc.nprocessors + 1

    # prepare: called while early jobs run. Returns whether everything is ready for the other jobs.
    def initialize(jobs, root:, out: $stdout, workers: Run.workers, strict: false, prepare: nil)
      @jobs = jobs
      @queue = jobs.dup
      @prepare = prepare
      @prepared = ConditionVariable.new
      @root = root
      @out = out
      @workers = workers
      @strict = strict
      @unsteady = []
      @done = []
      @running = []
      @mutex = Mutex.new
    end

    # The finished jobs.
    attr_reader :done

    # Returns whether all jobs passed.
    def call
      started = now
      work
      second_chances unless @strict
      slowest
      parts(now - started)
      skips
      left_out
      unsteady
      failures
      @out.puts "", "#{sum(&:passed)} passed, #{sum(&:failed)} failed, #{sum { |job| job.skips.length }} skipped"
      @done.all?(&:ok?) && @done.length == @jobs.length
    ensure
      @mutex.synchronize { @running.each(&:stop) }
    end

    private

    def work
      preparation = @prepare && Thread.new { prepare }
      [preparation, *Array.new(@workers) { Thread.new { take } }].compact.each(&:join)
    end

    # Runs the preparation. If it fails, the other jobs are not run.
    def prepare
      good = @prepare.call
    ensure
      @mutex.synchronize do
        @queue.select!(&:early?) unless good
        @prepare = nil
        @prepared.broadcast
      end
    end

    # The next job that can start. Waits if all remaining jobs need the preparation.
    def next_job
      until @queue.empty?
        index = @queue.index { |job| @prepare.nil? || job.early? }
        return @queue.delete_at(index) if index

        @prepared.wait(@mutex)
      end
    end

    def take
      while (job = @mutex.synchronize { next_job&.tap { |found| @running << found } })
        job.run(@root)
        @mutex.synchronize { finished(job) }
      end
    end

    def finished(job)
      @running.delete(job)
      @done << job
      tell(job)
    end

    def second_chances
      failed = @done.reject(&:ok?)
      return if failed.length > ACCIDENTS

      failed.each { |job| replace(job) unless job.part == "style" }
    end

    def replace(failed)
      last = nil
      steady = ALONE.times.all? do
        last = failed.again
        @mutex.synchronize { @running << last }
        last.run(@root)
        @mutex.synchronize { @running.delete(last) }
        tell(last, " again, alone")
        last.ok?
      end
      return unless steady

      @done[@done.index(failed)] = last
      @unsteady << last
    end

    def tell(job, how = "")
      mark = job.ok? ? "ok" : "FAILED"
      @out.puts format("%<mark>-6s %<times>s  %<name>s%<count>s", mark: mark, times: times([job]), name: job.name + how,
                                                                  count: count(job))
      @out.puts job.output.gsub(/^/, "    ") unless job.ok?
      @out.flush
    end

    def count(job)
      counts = { "passed" => job.passed, "failed" => job.failed, "skipped" => job.skips.length }
      told = counts.reject { |_, number| number.zero? }
      told == { "passed" => 1 } ? "" : "  (#{told.map { |word, number| "#{number} #{word}" }.join(", ")})"
    end

    def slowest
      long = @done.sort_by { |job| -job.seconds }.first(5).select { |job| job.seconds > 10 }
      return if long.empty?

      @out.puts "", "Longest:", *long.map { |job| "  #{times([job])}  #{job.name}" }
    end

    def parts(wall)
      @out.puts "", "Time by part:"
      @done.group_by(&:part).each { |part, jobs| @out.puts "  #{times(jobs)}  #{part}" }
      @out.puts "  #{times(@done, wall)}  in all, #{@workers} at a time"
    end

    # Formats wall clock and processor time.
    def times(jobs, clock = jobs.sum(&:seconds))
      format("%<clock>6.1f s %<processor>6.1f s cpu", clock: clock, processor: jobs.sum(&:processor))
    end

    def skips
      found = @done.flat_map(&:skips)
      @out.puts "", "Skipped:", *found.map { |reason| "  #{reason}" } unless found.empty?
    end

    def left_out
      count = sum(&:left_out)
      @out.puts "", "Left out by the sample: #{count} tests. `bin/test --full` runs all tests." if count.positive?
    end

    def unsteady
      return if @unsteady.empty?

      @out.puts "", "Unsteady (failed beside another job, passed #{ALONE} times alone):",
                *@unsteady.map { |job| "  #{job.name}" }
    end

    def failures
      failed = @done.reject(&:ok?)
      return if failed.empty?

      @out.puts "", "Failed:", *failed.map { |job| "  #{job.name}" }
      @out.puts "", "Each alone:", *failed.flat_map(&:repeats).map { |command| "  #{command}" }
    end

    def sum(&block) = @done.sum(&block)
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
