# frozen_string_literal: true

module Spate
  module Build
    # Where builds run: several threads call `build`, each waits for one child process, and the jobserver says how many
    # of them work at once.
    class Workshop
      # Seconds between two looks at a build that another process is busy with.
      PATIENCE = 0.1

      # reuse: callable, key => Native::Manifest or nil.
      def initialize(store:, layout:, events:, environment:, libraries:, reuse:, jobserver: nil, jobs: nil, ruby: nil)
        @store = store
        @layout = layout
        @events = events
        @environment = environment
        @recorder = Recorder.new(store, libraries, layout.root)
        @reuse = reuse
        @jobserver = jobserver || Jobserver.new(jobs)
        @ruby = ruby || Layout::Ruby.path
        @attempts = [] # that run now
        @mutex = Mutex.new
      end

      # Answers a Result. Raises BuildError, Interrupted.
      def build(job)
        alone(job.key) { |waited| (waited && placed(job)) || @jobserver.hold { run(job) } }
      end

      # See Builder#cancel.
      def cancel
        running = @mutex.synchronize do
          @cancelled = true
          @attempts.dup
        end
        running.map { |attempt| Thread.new { attempt.stop } }.each(&:join)
      end

      private

      # One process a key builds, the others wait and find it done. Names are shared by many keys, so that the lock
      # files stay few. Yields whether it had to wait.
      def alone(key, waited: false)
        raise Interrupted, "interrupted" if @cancelled

        @store.lock("build-#{key[0, 2]}", wait: false) { yield waited }
      rescue Store::Locked
        waited = true
        sleep PATIENCE
        retry
      end

      # Puts in place what another process built meanwhile; nil where it did not.
      def placed(job)
        manifest = @reuse.call(job.key) or return
        require "fileutils"
        Replaced.each(manifest, @layout.root) { |path| FileUtils.rm_rf(path) }
        linked = @store.native.link([[@layout.root, [manifest], :hard]]).first
        Result.new(key: job.key, seconds: 0.0, manifest: manifest, log: nil, cached: true) if linked.ok?
      end

      def run(job)
        attempt = Attempt.new(job, ruby: @ruby, layout: @layout, store: @store, environment: @environment,
                                   jobserver: @jobserver, events: @events)
        started = now
        before = supervise(attempt) do
          @events.emit(:build_start, name: job.package.name, **bound(job))
          Snapshot.of(job.gem_dir).tap { attempt.call }
        end
        seconds = now - started
        manifest = keep(job, before, seconds)
        @events.emit(:build_done, name: job.package.name, seconds: seconds.round(3), cached: false)
        Result.new(key: job.key, seconds: seconds, manifest: manifest, log: attempt.log, cached: false)
      end

      # Whose stored build there is, if it is of no use here.
      def bound(job)
        folder = Bound.new(@store).elsewhere(job.package.full_name, @layout.root)
        folder ? { bound: folder } : {}
      end

      # So that `cancel` finds it.
      def supervise(attempt)
        @mutex.synchronize do
          raise Interrupted, "interrupted" if @cancelled

          @attempts << attempt
        end
        yield
      ensure
        @mutex.synchronize { @attempts.delete(attempt) }
      end

      # The manifest, or nil where the store cannot keep it.
      def keep(job, before, seconds)
        info = Arguments.write(@layout.build_info, job.package.full_name, job.arguments)
        after = Snapshot.of(job.gem_dir, job.extension_dir)
        after.add(info) if info
        Weights.new(@store).remember(job.package.name, seconds)
        return unless @store.writable?

        facts = { full_name: job.package.full_name, archive_sha256: job.archive_sha256 }
        @store.lock("store", shared: true) do
          @store.guard { @recorder.call(job.key, before, after, **facts, loaded: job.loaded, seconds: seconds) }
        end
      rescue Store::Error => e
        @events.emit(:warning, message: "#{job.package.full_name}: its build is not kept: #{e.message}", hint: e.hint)
        nil
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
