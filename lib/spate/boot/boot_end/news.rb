# frozen_string_literal: true

module Spate
  module Boot
    module BootEnd
      # Whether compile caches should be made again after this boot, and why. Decides, and looks only at the compile
      # caches' age.
      class News
        # Outcomes after which the compile caches do not have the file's current version.
        OUTCOMES = %i[miss stale revalidated damaged].freeze
        # Seconds for which a compile cache is kept, even if the Bundler replay is outdated.
        PATIENCE = 5
        # Fewer new files than this wait for A_WHILE (seconds).
        FEW = 5
        A_WHILE = 60

        # Whether the next boot would gain from other compile caches: files came from none, or from compile caches of
        # single gems, and have yet to be sorted. recorded: see `recorded`; caches: the application's.
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

        # Whether to update the compile cache's record of the bundle. Two alternating environments do not
        # cause an update at every boot.
        def renew?
          return true unless @session.cache

          age > (times_lost? ? A_WHILE : PATIENCE) if @session.outdated || times_lost?
        end

        # For the log.
        def cause
          return "there was none" unless @session.cache
          return "of the bundle: #{@session.parts[:replay]}" if @session.outdated
          return "files of the bundle have other times" if times_lost?

          "#{missing} of #{recorded.size} files were not in the compile caches as they are"
        end

        private

        # Another small script each time does not justify a build.
        def files?
          News.gain?(recorded, @session.cache, @session.overlay) && (missing >= FEW || age > A_WHILE)
        end

        def missing = recorded.count { |_, outcome| OUTCOMES.include?(outcome) }

        # After a copy, say: then every boot has to read what the Bundler replay was made from.
        def times_lost? = @session.on?(:replay) && BundlerReplay.worn?

        # Seconds. Floats, because libraries redefine how times are subtracted.
        def age = Process.clock_gettime(Process::CLOCK_REALTIME) - File.mtime(@session.cache.path).to_f

        # A program with a relative path cannot be in a compile cache. If bootsnap loads the files, they are taken from
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
