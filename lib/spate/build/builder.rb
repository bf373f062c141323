# frozen_string_literal: true

module Spate
  module Build
    # The installer's interface to builds: computes the key of a build, looks up its stored result, and runs it.
    # Thread-safe. Keys and lookups are on the hot path; Run::Runner is loaded only to run a build.
    class Builder
      # reuse_check: decides whether a stored build is usable here. environment: the environment of builds.
      attr_reader :reuse_check, :environment

      # layout: Layout, settings: Settings. jobs: maximum number of parallel builds; nil for the number of processors.
      # trusts: a callable (key id, Unix time) that returns whether this bundle trusts a signed build, or nil to ignore
      # signed builds.
      def initialize(store:, layout:, settings:, events: Events.new, jobs: nil, env: ENV, trusts: nil)
        @store = store
        @layout = layout
        @settings = settings
        @events = events
        @jobs = jobs
        @trusts = trusts
        @environment = Environment.new(env)
        @reuse_check = Trace::ReuseCheck.new(layout.root, @environment)
        @invalidations = Cache::Invalidations.of(store)
        @keys = Key.new(layout: layout)
        @changes = {} # build key => the change that invalidates the most recent variant
        @mutex = Mutex.new
      end

      # The build key (hex) of a package, without the builds that its build reads (see Key.seeing). dependencies:
      # SHA-256s of the archives of all direct and indirect dependencies.
      def key(package, dependencies, archive_sha256: package.sha256)
        @keys.for(package.full_name, archive_sha256, arguments: arguments(package.name), dependencies: dependencies,
                                                     word: @invalidations.word(package.full_name))
      end

      # The first Cache::Entry whose inputs are all unchanged, or nil. Starts no process. again: whether to ignore
      # cached checks, because another process may have built it since.
      def reuse(key, again: false)
        variants = @store.all_stores.lazy.flat_map { |store| Cache::Variants.new(store, key).lazy(&@trusts) }
        @reuse_check.forget if again
        changes = []
        found = variants.find { |stored| !@reuse_check.change(stored)&.then { |change| changes << change } }
        return found if changes.empty? && found.nil?

        found ||= without_compiler(variants)
        found ? found.use(late: changes.any?) : @mutex.synchronize { @changes[key] = changes.first }
        found
      end

      # The paths of the package's files that a stored build has removed, relative to the bundle's folder.
      def self.removed(manifest) = Cache::Record.parse(manifest.facts).removed

      # Builds gem_dir, a private copy of the package's files, into extension_dir (both in the layout's root), and
      # stores the result. package_manifest: the manifest of the package in the store, or nil. more: see Job. Waits for
      # a free job slot. If another process is building the same key, waits for the result and links it. Returns a
      # Result. Raises BuildError, Interrupted.
      def build(package:, facts:, gem_dir:, package_manifest: nil, needed: [], **more)
        job = Job.new(package: package, gem_dir: gem_dir, needed: needed, arguments: arguments(package.name),
                      archive_sha256: package_manifest&.sha256 || package.sha256,
                      loaded: facts.require_paths.map { |path| File.expand_path(path, gem_dir) }, **more)
        runner.build(job, change: @mutex.synchronize { @changes[job.key] })
      end

      # Stops the build with that key because its result is no longer needed. `build` then raises Interrupted.
      def abandon(key) = @mutex.synchronize { @runner }&.abandon(key)

      # Stops all running builds and prevents new ones. Must be called from a thread, not from a trap handler.
      def cancel
        running = @mutex.synchronize do
          @cancelled = true
          @runner
        end
        running&.cancel
      end

      # Whether this machine has the tools that most builds need.
      def compiler?
        compiler = (@environment["CC"] || Util::Ruby.config("CC")).to_s.split.first
        programs = @reuse_check.programs
        ["make", compiler].all? { |name| name.nil? || programs.find(name) || File.executable?(name) }
      end

      private

      # The arguments in the setting build.NAME, split like shell words.
      def arguments(name)
        flags = @settings.build_flags(name) or return []
        require "shellwords"
        Shellwords.shellsplit(flags)
      end

      # Without a compiler, a build from another machine that shares the store is used if its libraries and processor
      # features are available here.
      def without_compiler(variants)
        return if compiler?

        variants.find { |stored| @reuse_check.runs?(stored) }
      end

      def runner
        @mutex.synchronize do
          raise Interrupted, "interrupted" if @cancelled

          @runner ||= Run::Runner.new(store: @store, layout: @layout, events: @events, environment: @environment,
                                      reuse_check: @reuse_check, reuse: method(:reuse), jobs: @jobs)
        end
      end
    end
  end
end
