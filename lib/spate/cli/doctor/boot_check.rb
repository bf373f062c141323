# frozen_string_literal: true

module Spate
  module CLI
    class Doctor
      # Checks the compile caches of the application in the current directory.
      class BootCheck
        # If the share of changed files is larger than this, compile caches are hardly useful.
        STALE = 0.3
        # doctor reports this number of consecutive boots without a Bundler replay. A single such boot is normal after
        # each change of the Gemfile.
        BOOTS = 2
        # Reasons that are the user's choice: SPATE_NO_REPLAY; `bundle exec` or `require "bundler/setup"` before Spate.
        CHOSEN = ["turned off", "Bundler has already set up the bundle"].freeze
        # Refers to docs/bundler-replay.md by its title, because the path is not valid in an application's folder.
        REBUILD = "spate boot build; if that does not help, see Spate's documentation, " \
                  "\"Bundler replay\""

        def initialize(context)
          @context = context
        end

        def each(&block)
          require "spate/native/boot"
          return yield(Finding.ok(Boot::TEMPORARY)) if @context.temporary?

          @caches = ::Spate::Boot::CompileCacheFolder.new(@context.store.root)
          return yield(refused) unless @caches.usable_folder?

          location = location() or return yield(Finding.ok("compile caches may be used; no Gemfile here"))
          facts = ::Spate::CompileCache::Status.new(location, caches: @caches, env: @context.env).to_h
          [cache(facts), replay(facts), builder(facts), *inactive_parts(facts)].compact.each(&block)
        rescue LoadError => e
          yield Finding.odd("applications boot without compile caches: #{e.message}", hint: Native.remedy)
        end

        private

        def location
          @context.location
        rescue Gemfile::NotFound
          nil
        end

        def refused
          Finding.odd("compile caches are not used: #{@caches.refusal}",
                      hint: "`chmod go-w` or `chown` the folder, or remove it: compile caches are rebuilt")
        end

        def cache(facts)
          cache = facts[:compile_cache]
          return Finding.ok("no compile caches yet; the first `spate exec` builds them") if cache[:reason] == :missing
          return unusable(cache) if cache[:reason]

          damaged(cache) || stale(cache, facts[:overlay])
        end

        def unusable(cache)
          Finding.odd("#{cache[:path]} cannot be used: #{cache[:reason]}", hint: "spate boot build")
        end

        def damaged(cache)
          return if cache[:damaged].zero?

          Finding.odd("#{cache[:path]} is damaged: Ruby compiles #{Units.count(cache[:damaged], "file")} instead",
                      hint: "spate boot verify, then spate boot build")
        end

        def stale(cache, overlay)
          files = cache[:files] + overlay.fetch(:files, 0)
          changed = [cache, overlay].sum { |one| one.fetch(:stale, 0) + one.fetch(:gone, 0) }
          text = "#{Units.count(files, "file")} in compile caches, #{changed} changed since"
          return Finding.ok(text) if changed <= files * STALE

          Finding.odd(text, hint: "spate boot build; if that does not help, spate boot status")
        end

        # Uses the log of the last boots, because their environment may differ from this command's.
        def replay(facts)
          boots = facts[:boots].reject { |boot| boot[:parts].key?("compile_cache") }.last(BOOTS)
          reasons = boots.filter_map { |boot| boot[:parts]["replay"] } - CHOSEN
          return if reasons.size < BOOTS || facts[:replay] == true || facts[:builder][:working]

          Finding.odd("the last #{BOOTS} boots ran Bundler.setup, without its replay: #{reasons.last}", hint: REBUILD)
        end

        def builder(facts)
          builder = facts[:builder]
          return if builder[:attempts].to_i.zero? || builder[:working]

          Finding.odd("the last background builder failed: #{builder[:last].last}", hint: builder[:log])
        end

        def inactive_parts(facts)
          facts[:aside].map { |one| Finding.ok("inactive: #{one[:who]}: #{one[:why]}") }
        end
      end
    end
  end
end
