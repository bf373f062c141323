# frozen_string_literal: true

module Spate
  module CompileCache
    # Builds the compile caches of one application: a cache for each gem that has none yet, the application's cache
    # (load-path cache, Bundler replay, and blobs in load order), and the application's overlay. Existing files are
    # never modified: a complete cache is renamed into place.
    class Builder
      # Builds in a child process and waits for it.
      class Child
        # @param location [Gemfile::Location]
        # @param caches [Boot::CompileCacheFolder]
        # @param env [ENV, Hash{String => String}] the user's environment
        # @param jobs [Integer, nil] number of compiling processes; nil for one per processor
        # @param exclude [Array<String>] patterns of folders and files to exclude
        # @param team [Boolean] whether to query the team's cache
        def initialize(location, caches:, env: ENV, jobs: nil, exclude: [], team: false)
          @env = Util::Environment.clean(env).except("SPATE_LOG")
          @arguments = Boot::Background::BuilderArguments.for(
            location, caches, renew: true, jobs: jobs, exclude: exclude, team: team, report: Util::Child::REPORT
          )
        end

        # Builds the compile caches.
        #
        # @yieldparam event [Hash{Symbol => Object}] an event `:compile_cache` or `:warning` (docs/events.md)
        # @return [Hash{Symbol => Object}, nil] the facts of the event `compile_cache`; nil if the child died
        def call
          command = [*Boot::Background::RubyOptions.current, Boot::Background::SCRIPT, *@arguments]
          Util::Child.run(@env, *command, out: :err, chdir: "/") do |child|
            done = nil
            child.each { |event| event[:event] == :compile_cache ? done = event.except(:event) : yield(event) }
            done
          end
        end
      end

      # @!visibility private
      #
      # The result of one build. busy: nothing was done because another builder is running for this application; built,
      # reused, empty: numbers of gems; compiled, copied, warned, failed: numbers of files; bytes: size of the written
      # compile caches; boot, overlay: whether the application's cache and its overlay were written; removed: number of
      # files that Prune removed; cpu: CPU time of the child processes; seconds: wall time.
      Report = Struct.new(:busy, :built, :reused, :empty, :compiled, :copied, :warned, :failed, :bytes, :boot, :overlay,
                          :removed, :cpu, :seconds, :warnings, keyword_init: true) do
        def initialize(busy: false)
          super(busy: busy, boot: false, overlay: false, cpu: 0.0, seconds: 0.0, warnings: [],
                **%i[built reused empty compiled copied warned failed bytes removed].to_h { |name| [name, 0] })
        end

        def gem(result)
          self.built += 1 if result.ok?
          count(result)
        end

        # name: :boot or :overlay
        def cache(name, result)
          self[name] = result.ok?
          count(result)
        end

        def to_h = super.merge(cpu: cpu.round(3), seconds: seconds.round(3))

        private

        def count(result)
          %i[compiled copied warned failed bytes].each { |name| self[name] += result[name] }
        end
      end

      {
        ApplicationBuild: "application_build", ApplicationCache: "application_cache", BundleContents: "bundle_contents",
        GemCaches: "gem_caches", Overlay: "application_cache"
      }.each { |name, file| autoload name, "#{__dir__}/builder/#{file}.rb" }

      # The maximum time in seconds for a build, including the time to wait for another builder of gem caches.
      SECONDS = 600

      # @!visibility private

      # caches: Boot::CompileCacheFolder. jobs: maximum number of child processes. events: Spate::Events or nil. trusts,
      # shared: see GemCaches; by default, code from other machines is not used.
      def initialize(caches:, jobs: nil, events: nil, seconds: SECONDS, trusts: ->(*) { false }, shared: nil)
        @caches = caches
        @trusts = trusts
        @shared = shared
        @jobs = jobs
        @events = events
        @deadline = Util.now + seconds
      end

      # location: responds to root, gemfile, lockfile. recorded: paths in load order. gems: [GemFiles], or nil to keep
      # the gems in the compile cache. Other arguments: see ApplicationCache. Returns a Report.
      def build(location:, recorded: [], gems: nil, **facts)
        started = Util.now
        @report = Report.new
        @caches.make
        Distrusted.remove(@caches, location, @trusts)
        cache = ApplicationCache.new(@caches, location, recorded: recorded, trusts: @trusts, **facts,
                                                        gem_caches: gems && gem_caches(gems, location))
        make(:boot, cache.job)
        make(:overlay, Overlay.new(@caches, location, cache).job)
        @report.seconds = Util.now - started
        @report
      rescue SystemCallError => e
        warn(ErrorSummary.of(e))
        @report
      end

      private

      # {gem folder => path of its compile cache}
      def gem_caches(gems, location)
        former = CacheFile.new(@caches.application_path(location), @caches.ruby_key, trusts: @trusts)
        made = GemCaches.new(@caches, gems, former: former, deadline: @deadline, trusts: @trusts,
                                            shared: @shared)
        made.build { |jobs| run(jobs).each { |result| @report.gem(result) } }
        @report.reused = made.reused
        @report.empty = made.empty
        made.paths
      end

      def make(name, job)
        return unless job

        run([job]).each { |result| @report.cache(name, result) }
      end

      def run(jobs)
        results = []
        compiler = Compiler.new(jobs: @jobs, seconds: [@deadline - Util.now, 1].max)
        @report.cpu += compiler.run(jobs) do |result|
          results << result
          @events&.emit(:compile_cache, path: result.path, compiled: result.compiled, copied: result.copied,
                                        bytes: result.bytes)
          warn("#{result.path}: #{result.error.last}") unless result.ok?
        end
        results
      end

      # Reports only the first warning, because the others usually result from it.
      def warn(text)
        @events&.emit(:warning, message: "compile caches: #{text}") if @report.warnings.empty?
        @report.warnings << text
      end
    end
  end
end
