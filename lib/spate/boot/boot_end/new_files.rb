# frozen_string_literal: true

module Spate
  module Boot
    module BootEnd
      # Decides whether to rebuild the compile caches after this boot. The only file that it accesses is the compile
      # cache, for its age.
      class NewFiles
        # Outcomes for files whose current version is not in a compile cache.
        OUTCOMES = %i[miss stale revalidated damaged].freeze
        # A compile cache younger than this (seconds) is not rebuilt, even if the Bundler replay is outdated.
        MINIMUM_AGE = 5
        # Fewer new files than this cause no rebuild until the compile cache is LONG_AGE (seconds) old.
        FEW = 5
        LONG_AGE = 60

        # Whether a rebuild would speed up the next boot: some files came from no compile cache, or only from the cache
        # of a gem and not of the application. recorded: see `recorded`; caches: the application's.
        def self.rebuild_useful?(recorded, *caches)
          recorded.any? { |_, outcome| OUTCOMES.include?(outcome) } || recorded.size > caches.compact.sum(&:count)
        end

        # [[path, outcome]] in load order.
        attr_reader :recorded

        def initialize(session)
          @session = session
          @recorded = loaded
        end

        def any? = renew? || files?

        # Whether to update the compile cache's record of the bundle. The minimum age prevents an update at each boot if
        # boots alternate between two environments.
        def renew?
          return true unless @session.cache

          age > (times_lost? ? LONG_AGE : MINIMUM_AGE) if @session.outdated || times_lost?
        end

        # The reason for the rebuild, for the log.
        def cause
          return "there was no compile cache" unless @session.cache
          return "the bundle has changed: #{@session.parts[:replay]}" if @session.outdated
          return "the times of the bundle's files have changed" if times_lost?

          "#{missing} of #{recorded.size} files are missing from the compile caches or have changed"
        end

        private

        # Avoids a rebuild at each boot if each boot loads a different small script.
        def files?
          NewFiles.rebuild_useful?(recorded, @session.cache, @session.overlay) && (missing >= FEW || age > LONG_AGE)
        end

        def missing = recorded.count { |_, outcome| OUTCOMES.include?(outcome) }

        # Whether files have new times but the same content, for example after copying. Each boot must then read all
        # inputs of the Bundler replay.
        def times_lost? = @session.on?(:replay) && BundlerReplay.times_changed?

        # The age of the compile cache in seconds. Uses Floats because libraries redefine Time#-.
        def age = Process.clock_gettime(Process::CLOCK_REALTIME) - File.mtime(@session.cache.path).to_f

        # Excludes a program with a relative path, which cannot be in a compile cache. If bootsnap loads the files, uses
        # $LOADED_FEATURES.
        def loaded
          stays = Bootsnap.set_up? && !@session.on?(:bootsnap)
          return Native::Loader.recorded.select { |path, _| path.start_with?("/") } unless stays

          $LOADED_FEATURES.grep(%r{\A/.*\.rb\z}).map { |path| [path, :miss] }
        end
      end
    end
  end
end
