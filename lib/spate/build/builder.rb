# frozen_string_literal: true

module Spate
  module Build
    # What the installer calls: the key of a build, the stored result for it, and the build itself. Thread safe; each
    # call of `build` waits for one child process, and the jobserver says how many of them work at once.
    class Builder
      # Seconds between two looks at a build that another process is busy with.
      PATIENCE = 0.1

      attr_reader :jobserver

      # layout: Layout, settings: Settings. jobs: how many at once, nil for the machine's processors.
      def initialize(store:, layout:, settings:, events: Events.new, jobserver: nil, jobs: nil, ruby: nil, env: ENV)
        @store = store
        @layout = layout
        @settings = settings
        @events = events
        @jobserver = jobserver || Jobserver.new(jobs)
        @ruby = ruby || Layout::Ruby.path
        @environment = Environment.new(env)
        @toolchain = Toolchain.new(store, @environment)
        @libraries = Libraries.new(@environment)
        @keys = Key.new(store: store, layout: layout, environment: @environment, toolchain: @toolchain)
        @children = []
        @mutex = Mutex.new
      end

      # The key (hex) of a package's build. facts: Install::Facts. dependencies: SHA-256s of the archives of all gems
      # that it depends on, directly or not. gem_dir: where it lies unpacked, if the store does not have it.
      def key(package, facts, dependencies, archive_sha256: package.sha256, gem_dir: nil)
        @keys.for(package.full_name, archive_sha256, facts.extensions, arguments: arguments(package.name),
                                                                       dependencies: dependencies, gem_dir: gem_dir)
      end

      # Native::Manifest of the stored build, its paths relative to the bundle's folder; nil where there is none, or
      # where a library that it links against is gone (a warning says which). Starts no process.
      def reuse(key)
        manifest = @store.build(key) || @store.build(Key.rooted(key, @layout.root)) or return
        record = Record.parse(manifest.facts)
        missing = @libraries.missing(record.libraries)
        return manifest if missing.empty?

        @events.emit(:warning, message: "#{record.full_name}: built against #{missing.join(", ")}, no longer found",
                               hint: "it is built again")
        nil
      end

      # Paths of the package, relative to the bundle's folder, that a stored build wants gone.
      def self.removed(manifest) = Record.parse(manifest.facts).removed

      # Builds in gem_dir, a private copy of the package's files, into extension_dir (both in the layout's root), and
      # stores the result. The gemspec is a path, or its text in Ruby. package_manifest: of the package in the store, or
      # nil. Where another process builds the same it waits, and puts that result in place. Answers a Result. Raises
      # BuildError, Interrupted.
      def build(package:, facts:, gem_dir:, extension_dir:, key:, spec_path: nil, specification: nil,
                package_manifest: nil)
        loaded = [*facts.require_paths.map { |path| File.expand_path(path, gem_dir) }, extension_dir]
        job = Job.new(package: package, gem_dir: gem_dir, extension_dir: extension_dir, key: key, spec_path: spec_path,
                      specification: specification, archive_sha256: package_manifest&.sha256 || package.sha256,
                      loaded: loaded, arguments: arguments(package.name))
        alone(key) { |waited| (waited && placed(job)) || @jobserver.hold { run(job) } }
      end

      # Ends all running builds; later ones do not start. Not from a trap handler: from a thread.
      def cancel
        @mutex.synchronize { @cancelled = true }
        @mutex.synchronize { @children.dup }.map { |child| Thread.new { child.stop } }.each(&:join)
      end

      def cancelled? = @cancelled

      private

      def arguments(name) = Arguments.parse(@settings.build_flags(name))

      # One process a key builds, the others wait and find it done. Names are shared by many keys, so that the lock
      # files stay few. Yields whether it had to wait.
      def alone(key, waited: false)
        raise Interrupted, "interrupted" if cancelled?

        @store.lock("build-#{key[0, 2]}", wait: false) { yield waited }
      rescue Store::Locked
        waited = true
        sleep PATIENCE
        retry
      end

      # Puts in place what another process built meanwhile; nil where it did not.
      def placed(job)
        manifest = reuse(job.key) or return
        paths = manifest.paths + Record.parse(manifest.facts).removed
        paths.map { |path| File.join(@layout.root, path) }.each do |path|
          File.unlink(path) if File.file?(path) || File.symlink?(path)
        end
        linked = @store.native.link([[@layout.root, [manifest], :hard]]).first
        Result.new(key: job.key, seconds: 0.0, manifest: manifest, log: nil, cached: true) if linked.ok?
      end

      def run(job)
        @events.emit(:build_start, name: job.package.name)
        started = now
        before = Snapshot.of(job.gem_dir)
        attempt = Attempt.new(job, ruby: @ruby, layout: @layout, store: @store, environment: @environment,
                                   jobserver: @jobserver, events: @events)
        supervise(attempt) { attempt.call }
        seconds = now - started
        manifest = keep(job, before, seconds)
        @events.emit(:build_done, name: job.package.name, seconds: seconds.round(3), cached: false)
        Result.new(key: job.key, seconds: seconds, manifest: manifest, log: attempt.log, cached: false)
      end

      # So that `cancel` finds it.
      def supervise(attempt)
        @mutex.synchronize do
          raise Interrupted, "interrupted" if @cancelled

          @children << attempt
        end
        yield
      ensure
        @mutex.synchronize { @children.delete(attempt) }
      end

      def keep(job, before, seconds)
        info = Arguments.write(@layout.build_info, job.package.full_name, job.arguments)
        after = Snapshot.of(job.gem_dir, job.extension_dir)
        after.add(info) if info
        Weights.new(@store).remember(job.package.name, seconds)
        return unless @store.writable?

        recorder = Recorder.new(@store, @libraries, @layout.root)
        @store.lock("store", shared: true) do
          recorder.call(job.key, before, after, full_name: job.package.full_name, loaded: job.loaded, seconds: seconds,
                                                archive_sha256: job.archive_sha256)
        end
      rescue Store::Error => e
        @events.emit(:warning, message: "#{job.package.full_name}: its build is not kept: #{e.message}", hint: e.hint)
        nil
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
