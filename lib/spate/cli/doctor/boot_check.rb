# frozen_string_literal: true

module Spate
  module CLI
    class Doctor
      # The boot images of the application here.
      class BootCheck
        # Share of changed files above which images are hardly worth their space.
        STALE = 0.3
        # Number of consecutive boots without a Bundler replay before it is reported: each change of the Gemfile causes
        # one.
        BOOTS = 2
        # Reasons chosen by the user: SPATE_NO_REPLAY, and `bundle exec` or `require "bundler/setup"` first.
        CHOSEN = ["turned off", "Bundler has set up already"].freeze
        # The title of docs/bundler-replay.md: its path would mean nothing in an application's folder.
        REBUILD = "spate boot build; if that does not help, see Spate's documentation, " \
                  "\"Bundler replay\""

        def initialize(context)
          @context = context
        end

        def each(&block)
          require "spate/native/boot"
          return yield(Finding.ok(Boot::TEMPORARY)) if @context.temporary?

          @images = ::Spate::Boot::ImageFolder.new(@context.store.root)
          return yield(refused) unless @images.usable_folder?

          location = location() or return yield(Finding.ok("images may be used; no Gemfile here"))
          facts = ::Spate::Images::Status.new(location, images: @images, env: @context.env).to_h
          [image(facts), replay(facts), builder(facts), *asides(facts)].compact.each(&block)
        rescue LoadError => e
          yield Finding.odd("applications boot without images: #{e.message}", hint: Native.remedy)
        end

        private

        def location
          @context.location
        rescue Gemfile::NotFound
          nil
        end

        def refused
          Finding.odd("boot images are not used: #{@images.refusal}",
                      hint: "`chmod go-w` or `chown` the folder, or remove it: images are rebuilt")
        end

        def image(facts)
          image = facts[:image]
          return Finding.ok("no boot images yet; the first `spate exec` builds them") if image[:reason] == :missing
          return unusable(image) if image[:reason]

          damaged(image) || stale(image, facts[:overlay])
        end

        def unusable(image)
          Finding.odd("#{image[:path]} cannot be used: #{image[:reason]}", hint: "spate boot build")
        end

        def damaged(image)
          return if image[:damaged].zero?

          Finding.odd("#{image[:path]} is damaged: Ruby compiles #{Units.count(image[:damaged], "file")} instead",
                      hint: "spate boot verify, then spate boot build")
        end

        def stale(image, overlay)
          files = image[:files] + overlay.fetch(:files, 0)
          changed = [image, overlay].sum { |one| one.fetch(:stale, 0) + one.fetch(:gone, 0) }
          text = "#{Units.count(files, "file")} in boot images, #{changed} changed since"
          return Finding.ok(text) if changed <= files * STALE

          Finding.odd(text, hint: "spate boot build; if that does not help, spate boot status")
        end

        # Uses what the last boots recorded, since this command's environment may differ from theirs.
        def replay(facts)
          boots = facts[:boots].reject { |boot| boot[:parts].key?("images") }.last(BOOTS)
          reasons = boots.filter_map { |boot| boot[:parts]["replay"] } - CHOSEN
          return if reasons.size < BOOTS || facts[:replay] == true || facts[:builder][:working]

          Finding.odd("the last #{BOOTS} boots ran Bundler.setup, without its replay: #{reasons.last}", hint: REBUILD)
        end

        def builder(facts)
          builder = facts[:builder]
          return if builder[:attempts].to_i.zero? || builder[:working]

          Finding.odd("the last background builder failed: #{builder[:last].last}", hint: builder[:log])
        end

        def asides(facts)
          facts[:aside].map { |one| Finding.ok("inactive: #{one[:who]}: #{one[:why]}") }
        end
      end
    end
  end
end
