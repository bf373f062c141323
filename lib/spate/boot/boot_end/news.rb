# frozen_string_literal: true

module Spate
  module Boot
    module BootEnd
      # Whether and why compile caches should be rebuilt after this boot. Reads nothing except the compile caches' age.
      class News
        # Outcomes that mean that the compile caches lack the file's current version.
        OUTCOMES = %i[miss stale revalidated damaged].freeze
        # Seconds for which a new compile cache is kept, even if the Bundler replay is outdated.
        PATIENCE = 5
        # Fewer new files than this are ignored for A_WHILE (seconds).
        FEW = 5
        A_WHILE = 60

        # Whether rebuilt compile caches would speed up the next boot: some files came from no compile cache, or from
        # caches of single gems and are not in load order yet. recorded: see `recorded`; caches: the application's.
        def self.gain?(recorded, *caches)
          recorded.any? { |_, outcome| OUTCOMES.include?(outcome) } || recorded.size > caches.compact.sum(&:count)
        end

        # [[path, outcome]] in load order.
        attr_reader :recorded

        def initialize(session)
          @session = session
          @recorded = loaded
        end

        def any? = renew? || files?

        # Whether to update the compile cache's record of the bundle. Alternating between two environments does not
        # cause an update at each boot.
        def renew?
          return true unless @session.cache

          age > (times_lost? ? A_WHILE : PATIENCE) if @session.outdated || times_lost?
        end

        # The reason for the log.
        def cause
          return "there was none" unless @session.cache
          return "of the bundle: #{@session.parts[:replay]}" if @session.outdated
          return "files of the bundle have other times" if times_lost?

          "#{missing} of #{recorded.size} files are missing from the compile caches or have changed"
        end

        private

        # A different small script at each boot does not justify a build.
        def files?
          News.gain?(recorded, @session.cache, @session.overlay) && (missing >= FEW || age > A_WHILE)
        end

        def missing = recorded.count { |_, outcome| OUTCOMES.include?(outcome) }

        # Whether file times were lost, for example by copying, so that each boot has to read all inputs of the Bundler
        # replay.
        def times_lost? = @session.on?(:replay) && BundlerReplay.worn?

        # In seconds. Uses Floats because libraries redefine the subtraction of times.
        def age = Process.clock_gettime(Process::CLOCK_REALTIME) - File.mtime(@session.cache.path).to_f

        # A program with a relative path cannot be in a compile cache. If bootsnap loads the files, uses
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
