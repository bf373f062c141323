# frozen_string_literal: true

module Spate
  module Boot
    # Makes images in child processes, several at once: jobs go out largest first, each child takes the next one when
    # it is done. A child that dies takes its job with it, no more.
    class Compiler
      autoload :Assembly, "#{__dir__}/compiler/assembly"
      autoload :Compilation, "#{__dir__}/compiler/compilation"
      autoload :Job, "#{__dir__}/compiler/job"
      autoload :RubyOptions, "#{__dir__}/compiler/ruby_options"
      autoload :Result, "#{__dir__}/compiler/job"
      autoload :Sight, "#{__dir__}/compiler/sight"
      autoload :Worker, "#{__dir__}/compiler/worker"

      # Folders that have Spate and its extension, which need not be on this process' $LOAD_PATH.
      def self.load_path
        extension = $LOADED_FEATURES.find { |path| path.match?(%r{/spate/native/boot\.\w+\z}) }
        [File.expand_path("../..", __dir__), extension && File.expand_path("../../..", extension)].compact.uniq
      end

      # A child takes 50 MB and more.
      JOBS = 16

      # Children that may run beside whatever else the machine has to do.
      def self.few = [processors / 2, 1].max.clamp(1, 4)

      def self.processors
        require "spate/ground"
        Ground::Processors.count
      end

      # jobs: children at most. seconds: after that long no job is handed out any more, and those that run are ended.
      def initialize(jobs: nil, seconds: 600)
        @jobs = jobs
        @seconds = seconds
      end

      # Yields the Result of each Job as it comes. Answers the processor time of all children, in seconds.
      def run(jobs, &block)
        before = children_time
        waiting = jobs.sort_by { |job| -job.weight }
        @deadline = now + @seconds
        @workers = Array.new([count, waiting.size].min) { Worker.new }
        @workers.each { |worker| give(worker, waiting) }
        collect(waiting, &block) while @workers.any?(&:busy?)
        children_time(ended: true) - before
      ensure
        @workers&.each(&:stop)
      end

      private

      def count = @jobs || Compiler.processors.clamp(1, JOBS)

      def collect(waiting, &block)
        busy = @workers.select(&:busy?)
        ready, = IO.select(busy.map(&:output), nil, nil, [@deadline - now, 0].max)
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
        return if waiting.empty? || now > @deadline

        worker.give(waiting.shift) unless worker.dead?
      end

      def children_time(ended: false)
        @workers.each(&:stop) if ended
        times = Process.times
        times.cutime + times.cstime
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
