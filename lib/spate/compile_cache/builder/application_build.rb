# frozen_string_literal: true

module Spate
  module CompileCache
    class Builder
      # A complete build for one application: collects facts about the bundle, then builds the compile caches. Used by
      # `spate boot build`, installs and background builders.
      class ApplicationBuild
        # Seconds to wait before each retry of recording a Bundler replay, if Bundler's inputs changed meanwhile.
        PAUSES = [0.1, 0.3, 1, 2].freeze

        # location: responds to root, gemfile and lockfile (absolute paths); gemfile and lockfile are nil without a
        # bundle. exclude: patterns of gem folders and recorded files to exclude. team: whether to query a team's cache
        # for code from other machines. turn: called when the application is locked; returns when this builder may
        # start.
        def initialize(location, caches:, env: ENV, jobs: nil, events: nil, exclude: [], team: false,
                       turn: nil)
          @team = team
          @turn = turn
          @location = location
          @caches = caches
          @env = env.to_h
          @jobs = jobs
          @events = events
          @exclude = exclude
        end

        # Builds missing compile caches. renew: whether to also rebuild the record of the bundle (load-path cache,
        # Bundler replay, compile caches of gems). Otherwise it is rebuilt only if Gemfile or lockfile changed. Returns
        # a Report, which is busy if another builder is running.
        def call(renew: false)
          return refused unless @caches.writable?(@env)

          @caches.make
          report = Report.new(busy: true)
          Lock.hold(@caches.lock_path(@location)) do
            @turn&.call
            report = build(renew || !current?)
            report = build(false) if report.warnings.empty? && Boot::Background::LoadedFiles.all(recording_path).any?
            finish(report) if report.warnings.empty?
          end
          report
        end

        private

        def recording_path = @caches.recording_path(@location)

        def finish(report)
          Boot::Background::Attempts.new(@caches.attempts_path(@location)).forget
          report.removed += Prune.new(@caches.store_root).daily.size
        end

        # Whether the compile cache is for the current bundle.
        def current? = cache.current?

        def cache(**options) = ApplicationCache.new(@caches, @location, trusts: trusts, **options)

        def build(renew)
          recording = Recording.collect(recording_path)
          @folders = recording.folders
          recorded = recording.paths.reject { |path| exclude?(path) }
          Builder.new(caches: @caches, jobs: @jobs, events: @events, trusts: trusts, shared: (shared if @team))
                 .build(location: @location, recorded: recorded, folders: @folders, **(renew ? facts : load_path_cache))
        end

        # Builds a new load-path cache if boots added folders to the load path that the existing one does not contain.
        def load_path_cache
          cache = cache(folders: @folders)
          return {} if cache.folders?

          first, *others = Boot::BundlerReplay.records(cache.old).to_a
          { load_path_cache: load_path_cache_of(contents(first), others.map { |record| contents(record) }) }
        end

        # others: [BundleContents] in other environments.
        def load_path_cache_of(contents, others)
          part("load_path_cache") do
            folders = @folders.select { |path| File.directory?(path) }
            LoadPathCache.build(contents.load_path, extra_roots: (folders + others.flat_map(&:load_path)).uniq,
                                                    ignored: @env["BOOTSNAP_IGNORE_DIRECTORIES"])
          end
        end

        # The facts of the bundle. The digest is computed first, so that the compile cache is outdated if Gemfile or
        # lockfile changes during the build.
        def facts
          bundle = ApplicationCache.bundle(@location)
          replay = part("replay") { replay() }
          replays = [replay, *others] if replay
          first, *rest = all = (replays || [nil]).map { |record| contents(record) }
          gems = part("gems") { all.flat_map(&:gems).uniq(&:dir).reject { |gem| exclude?(gem.dir) } }
          { bundle: bundle, replays: replays, gems: gems, own: part("gems") { all.flat_map(&:own).uniq },
            load_path_cache: load_path_cache_of(first, rest) }
        end

        def others = Boot::BundlerReplay.records(cache.old).others(environment)
        def contents(record) = BundleContents.new(@location, record, environment)

        # Returns a Gemfile::Setup::Record, or nil without a lockfile.
        def replay
          return unless @location.gemfile && File.file?(@location.lockfile.to_s)

          [*PAUSES, nil].each do |pause|
            record = Gemfile::Setup::Recorder.new(@location, settings, store).call
            return record unless pause && record.refused && record.outdated?(environment)

            sleep(pause)
          end
        end

        def settings = @settings ||= Settings.load(root: @location.root, env: environment)
        def store = @store ||= Store.open(home: File.dirname(@caches.store_root, 2), env: @env)
        def trust = @trust ||= RemoteCache::Trust.from(settings)
        # A lambda, so that the trusted keys are loaded only if there is signed code.
        def trusts = ->(signer, made) { trust.doubt(signer, made).nil? }

        # The lambda that GemCaches calls as `shared`. Treats any failure as a miss.
        def shared
          lambda do |dirs|
            next unless @location.gemfile && RemoteCache.set?(settings)

            Shared.new(caches: @caches, location: @location, settings: settings, store: store, trust: trust)
                  .ask(dirs, @events || Events.new)
          rescue Error => e
            @events&.emit(:warning, message: "compile caches: #{e.message}")
            nil
          end
        end

        # Returns nil if the part cannot be built. Boots then run without it.
        def part(name)
          yield
        rescue StandardError, LoadError => e
          @events&.emit(:warning, message: "compile caches: no #{name}: #{e.class}: #{ErrorSummary.of(e)}")
          nil
        end

        def environment = @environment ||= Util::Environment.clean(@env)

        def exclude?(path) = @exclude.any? { |pattern| path.match?(pattern) }

        def refused
          Report.new.tap { |report| report.warnings << (@caches.refusal || "#{@caches.folder} cannot be written") }
        end
      end
    end
  end
end
