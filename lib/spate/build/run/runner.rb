# frozen_string_literal: true

require_relative "../../inputs"

module Spate
  module Build
    module Run
      # Runs builds. Several threads may call `build`. Each waits for one child process, and the jobserver limits how
      # many run.
      class Runner
        # Seconds between two checks of a build that another process is running.
        PATIENCE = 0.1

        # store: the machine's store. Results are stored there or, if it is read-only, in the user's store. reuse: a
        # callable, (key, again:) => Cache::Entry or nil.
        def initialize(store:, layout:, events:, environment:, reuse_check:, reuse:, jobs: nil)
          @store = store
          @home = store.writable_store
          @layout = layout
          @events = events
          @environment = environment
          @reuse_check = reuse_check
          @recorder = Cache::Recorder.new(@home, reuse_check, environment, layout.root)
          @reuse = reuse
          @jobserver = Jobserver.new(jobs)
          @attempts = [] # running ones
          @written = [] # paths written by finished builds
          @since = Inputs.start
          @warned = {}
          @abandoned = {} # keys of builds whose result is no longer needed
          @mutex = Mutex.new
        end

        # change: why a stored build is not usable (ReuseCheck#change), or nil. Returns a Result. Raises BuildError,
        # Interrupted.
        def build(job, change: nil)
          place = @home ? "stored in #{@home.root}" : "not stored"
          warn_once("the store #{@store.root} is not writable: builds are #{place}") unless @store.writable?
          alone(job.key) { |waited| ((waited || job.again) && placed(job)) || @jobserver.hold { run(job, change) } }
        end

        # See Builder#cancel.
        def cancel
          running = @mutex.synchronize do
            @cancelled = true
            @attempts.dup
          end
          running.map { |attempt| Thread.new { attempt.stop } }.each(&:join)
        end

        # Stops the running or waiting build with that key. `build` then raises Interrupted.
        def abandon(key)
          running = @mutex.synchronize do
            @abandoned[key] = true
            @attempts.select { |attempt| attempt.key == key }
          end
          running.each(&:stop)
        end

        private

        # Ensures that only one process builds a key. The others wait and use its result. Keys with the same first two
        # digits share a lock file, to limit the number of files. Yields whether this process had to wait.
        def alone(key, waited: false)
          raise Interrupted, "interrupted" if over?(key)

          (@home || @store).lock("build-#{key[0, 2]}", wait: false) { yield waited }
        rescue Store::Locked
          waited = true
          sleep PATIENCE
          retry
        end

        def over?(key) = @cancelled || @abandoned[key]

        # Links a stored build, in case another process has built it in the meantime. Returns a Result, or nil if there
        # is none.
        def placed(job)
          stored = @reuse.call(job.key, again: true) or return
          linked?(stored) || ((stored = stored.renew) && linked?(stored)) or return

          done(job, 0.0, stored, cached: true)
        end

        # Returns false if an object in the store is damaged or has a different mtime. The mtime differs if two builds
        # created the same file.
        def linked?(stored)
          Cache::Removals.each(stored.manifest, @layout.root) { |path| Store::Sweep.remove(path) }
          stored.store.native.link([[@layout.root, [stored.manifest], :clone]]).first.ok?
        end

        def run(job, change)
          attempt = Attempt.new(job, layout: @layout, home: @home, environment: @environment, jobserver: @jobserver,
                                     events: @events)
          started = Util.now
          clock = Inputs.start
          trace = nil
          before = supervise(attempt) do
            @events.emit(:build_start, name: job.package.name, **why(change))
            Snapshot.new(job.gem_dir, *(job.extension_dir if job.keep)).tap { trace = attempt.call }
          end
          seconds = Util.now - started
          done(job, seconds, store_build(job, before, seconds, trace && observed(trace, job, clock)), cached: false)
        end

        def done(job, seconds, stored, cached:)
          @events.emit(:build_done, name: job.package.name, seconds: seconds.round(3), cached: cached)
          Result.new(key: job.key, seconds: seconds, stored: stored, cached: cached)
        end

        def observed(trace, job, started)
          written = @mutex.synchronize { @attempts.flat_map(&:written) + @written }
          Trace::ObservedInputs.new(trace, job, layout: @layout, reuse_check: @reuse_check, environment: @environment,
                                                started: started, since: @since, written: written)
        end

        # The reason why no stored build was used, for the event.
        def why(change)
          return {} unless change

          change.first == :folder ? { bound: change[1] } : { anew: Trace::ReuseCheck.explain(*change) }
        end

        # Registers the attempt so that `cancel` finds it.
        def supervise(attempt)
          @mutex.synchronize do
            raise Interrupted, "interrupted" if over?(attempt.key)

            @attempts << attempt
          end
          yield
        ensure
          @mutex.synchronize { @attempts.delete(attempt) and @written |= attempt.written }
        end

        # Returns a Cache::Entry, or nil if the build cannot be stored.
        def store_build(job, before, seconds, observed)
          after = Snapshot.new(job.gem_dir, job.extension_dir)
          after.add(write_arguments(job)) if job.arguments.any?
          Schedule::Durations.new(@store).remember(job.package.name, seconds)
          @home && recorded(job, before, after, seconds: seconds, observed: observed)
        rescue Store::Error => e
          warn_once("#{job.package.full_name}: its build was not stored: #{e.message}", e.hint)
        end

        # Writes the file in which RubyGems stores build arguments, one per line. Returns its path.
        def write_arguments(job)
          require "fileutils"
          FileUtils.mkdir_p(@layout.build_info)
          path = "#{@layout.build_info}/#{job.package.full_name}.info"
          File.write(path, job.arguments.map { |argument| "#{argument}\n" }.join)
          path
        end

        def recorded(job, before, after, **facts)
          stored, doubt = @home.lock("store", shared: true) do
            @home.guard { @recorder.call(job, before, after, **facts) }
          end
          untraced = "builds are for this bundle only: they cannot be traced (#{Tracer.available?})"
          warn_once(untraced) unless facts[:observed]
          warn_once("#{job.package.full_name}: its build is for this bundle only: #{doubt}") if doubt
          stored
        end

        # Prints each warning once.
        def warn_once(message, hint = nil)
          return if @mutex.synchronize { @warned[message].tap { @warned[message] = true } }

          @events.emit(:warning, message: message, hint: hint)
          nil
        end
      end
    end
  end
end
