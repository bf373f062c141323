# frozen_string_literal: true

module Spate
  module CompileCache
    # Inspects the compile caches that an application would boot from, without changing them. Runs in the command-line
    # process, with the user's environment.
    class Status
      # Lists parts of Spate that are inactive because of another library, and the reverse. Uses the facts that this
      # process can determine and the log of the last boot.
      class Inactive
        # Status reports the current state of these parts separately.
        TOLD = %w[bootsnap replay].freeze
        # A reason that only the boot itself can detect.
        SET_UP = "Bundler has already set up the bundle"

        # last: the Boot::BootLog::Line of the last boot, or nil.
        def initialize(location, env, last)
          @location = location
          @env = env
          @last = last
        end

        # [{who:, why:}]
        def to_a
          [bootsnap, boxes, *found].compact
        end

        private

        def bootsnap
          return unless bundled?

          config = Boot::Bootsnap.config(@location.root, @env)
          return { who: "Spate's loader", why: "#{config} configures how bootsnap compiles" } if File.exist?(config)

          { who: "bootsnap", why: "Spate's compile cache serves the files; without a compile cache bootsnap does" }
        end

        def bundled?
          path = @location.lockfile
          return false unless path && File.file?(path)

          File.read(path, encoding: Encoding::BINARY).match?(/^    bootsnap \(/)
        end

        def boxes
          { who: "Spate's loader", why: "RUBY_BOX is set" } if @env["RUBY_BOX"] == "1" || @env[Boot::Switches::BOX]
        end

        def found
          return [] unless @last

          @last.parts.reject { |name, why| (TOLD.include?(name) && why != SET_UP) || quiet?(why) }
               .map { |name, why| { who: name, why: "#{why} (the last boot)" } }
        end

        # Whether the reason is normal for a first boot and is not reported.
        def quiet?(why) = why.nil? || why.start_with?("no compile cache yet", "no past boot was faster with it")
      end

      # The time that compile caches save for each kind of boot: the median of the last boots with compile caches, the
      # last boot without (or nil), and the last boot.
      module Gains
        # lines: [Boot::BootLog::Line]. Returns
        # [{kind:, boots:, wall:, cpu:, without_wall:, without_cpu:, last_wall:, last_cpu:}]
        def self.of(lines)
          lines.group_by(&:kind).map do |kind, boots|
            with = boots.select { |boot| boot.share >= Boot::BootLog::WITH }.last(10)
            without = boots.reverse.find { |boot| boot.share < Boot::BootLog::WITHOUT && boot.hits + boot.others > 1 }
            { kind: kind, boots: with.size, wall: Boot::BootLog.median(with.map(&:wall)),
              cpu: Boot::BootLog.median(with.map(&:cpu)), without_wall: without&.wall, without_cpu: without&.cpu,
              last_wall: boots.last.wall, last_cpu: boots.last.cpu }
          end
        end
      end

      # Disk usage of the compile caches of each Ruby.
      class DiskUsage
        def initialize(caches)
          @caches = caches
          @folder = "#{caches.store_root}/compile-cache"
        end

        # [{ruby_key:, this_ruby:, applications:, gems:, bytes:}]; "own" is the ruby_key of Spate's code.
        def to_a
          Dir.children(@folder).grep(/\A(\h{32}|own)\z/).sort.map do |name|
            files = Dir.glob("#{@folder}/#{name}/**/*").select { |path| File.file?(path) }
            { ruby_key: name, this_ruby: name == @caches.ruby_key, applications: count(files, "boots"),
              gems: count(files, "gems"), bytes: files.sum { |path| File.size?(path).to_i } }
          end
        rescue SystemCallError
          []
        end

        private

        def count(files, kind) = files.count { |path| path.end_with?(".compiled") && path.include?("/#{kind}/") }
      end

      SHOWN = 20

      # location: responds to root, gemfile and lockfile. env: the user's environment.
      def initialize(location, caches:, env: ENV)
        @location = location
        @caches = caches
        @env = env.to_h
      end

      # Returns plain values (see docs/boot.md).
      def to_h
        { ruby: RUBY_DESCRIPTION, ruby_key: @caches.ruby_key, folder: @caches.folder, refusal: @caches.refusal,
          writable: @caches.writable?(@env), root: @location.root, gemfile: @location.gemfile, compile_cache: cache,
          overlay: overlay, replay: replay, load_path_cache: load_path_cache, gems: gems, boots: boots,
          gains: Gains.of(boot_log), switches: switches,
          aside: Inactive.new(@location, @env, boot_log.last).to_a, builder: builder,
          shares: DiskUsage.new(@caches).to_a }
      end

      private

      def application = @application ||= CacheFile.new(@caches.application_path(@location),
                                                       @caches.ruby_key)

      def cache = file(application).merge(current: current)

      # Whether the compile cache is for the current bundle; nil if it cannot be used.
      def current = (Builder::ApplicationCache.new(@caches, @location).current? if application.usable?)

      def overlay = file(CacheFile.new(@caches.overlay_path(@location), @caches.ruby_key))

      # Facts about a compile cache. reason: why it cannot be used. stale: number of changed files, which Ruby compiles.
      def file(file)
        return { path: file.path, reason: file.reason } unless file.usable?

        cache = file.cache
        counts = Hash.new(0)
        stale = cache.paths.filter_map { |name| differing(cache, name, counts) }
        { path: file.path, files: cache.count, bytes: cache.bytes, made: file.about["made"].to_i,
          damaged: cache.verify.size, **%i[hit revalidated stale warns gone].to_h { |state| [state, counts[state]] },
          differing: stale.first(SHOWN) }
      end

      def differing(cache, name, counts)
        state, reason = Boot::Log::Outcomes.state(name, cache)
        counts[state] += 1
        { path: name, state: state, reason: reason } if %i[stale gone revalidated].include?(state)
      end

      # Returns true, or the reason why the real Bundler runs.
      def replay
        records = Boot::BundlerReplay.records(application)
        return "there is none" if records.empty?

        records.choose(Util::Environment.clean(@env)).last
      end

      def load_path_cache
        bytes = application.data("load_path_cache")
        facts = bytes && Native::LoadPathCache.facts(bytes)
        facts&.slice(:roots, :directories, :features)
      end

      # Compile caches of this application's gems: the number that the application refers to, the missing ones, and the
      # size of the rest.
      def gems
        named = application.gem_caches
        missing = named.reject { |_, path| File.exist?(path) }
        { named: named.size, missing: missing.keys.first(SHOWN),
          bytes: (named.values - missing.values).sum { |path| File.size(path) } }
      end

      def boot_log = @boot_log ||= Boot::BootLog.lines(@caches.boot_log_path(@location))
      def boots = boot_log.last(5).map(&:to_h)

      # Environment variables that turn parts off or on.
      def switches
        @env.select { |name, _| name.match?(/\A(SPATE_(?!HOME\z)|(DISABLE_)?BOOTSNAP)/) }
      end

      def builder
        path = @caches.log_path(@location)
        last = File.exist?(path) ? File.readlines(path, chomp: true).last(3) : []
        attempts = Boot::Background::Attempts.new(@caches.attempts_path(@location))
        { forbidden: Boot::Background.forbidden(@env), working: working?, log: path, last: last,
          attempts: attempts.count, wait: attempts.wait.ceil }
      rescue SystemCallError => e
        { log: path, last: [ErrorSummary.of(e)] }
      end

      def working?
        File.open(@caches.lock_path(@location)) { |file| !file.flock(File::LOCK_SH | File::LOCK_NB) }
      rescue SystemCallError
        false
      end
    end
  end
end
