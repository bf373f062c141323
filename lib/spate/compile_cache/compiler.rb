# frozen_string_literal: true

module Spate
  module CompileCache
    # Builds compile caches in several child processes, largest job first. If a child dies, only its current job fails.
    class Compiler
      {
        Compilation: "compilation", CacheWriter: "cache_writer", Job: "job", Result: "job", SourceFile: "job",
        Worker: "worker"
      }.each { |name, file| autoload name, "#{__dir__}/compiler/#{file}.rb" }

      # The maximum number of child processes by default. Each needs at least 50 MB.
      JOBS = 16

      # A number of child processes that leaves processors free for other programs.
      def self.default_jobs = (Util::Processors.count / 2).clamp(1, 4)

      # jobs: maximum number of child processes. seconds: time limit, after which running jobs are killed.
      def initialize(jobs: nil, seconds: 600)
        @jobs = jobs
        @seconds = seconds
      end

      # Yields the Result of each finished Job. Returns the CPU time of all child processes in seconds.
      def run(jobs, &block)
        before = children_time
        waiting = jobs.sort_by { |job| -job.weight }
        @deadline = Util.now + @seconds
        @workers = Array.new([count, waiting.size].min) { Worker.new }
        @workers.each { |worker| give(worker, waiting) }
        collect(waiting, &block) while @workers.any?(&:busy?)
        children_time(ended: true) - before
      ensure
        @workers&.each(&:stop)
      end

      private

      def count = @jobs || Util::Processors.count.clamp(1, JOBS)

      def collect(waiting, &block)
        busy = @workers.select(&:busy?)
        ready, = IO.select(busy.map(&:output), nil, nil, [@deadline - Util.now, 0].max)
        return expire(busy, &block) unless ready

        busy.select { |worker| ready.include?(worker.output) }.each do |worker|
          result = worker.result
          waiting.clear if result.full?
          give(worker, waiting)
          yield result
        end
      end

      def expire(busy)
        busy.each do |worker|
          worker.kill
          yield worker.result
        end
      end

      def give(worker, waiting)
        return if waiting.empty? || Util.now > @deadline

        worker.give(waiting.shift) unless worker.dead?
      end

      def children_time(ended: false)
        @workers.each(&:stop) if ended
        times = Process.times
        times.cutime + times.cstime
      end
    end
  end
end
