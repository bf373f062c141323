# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      # After an install: the images from which the application will boot. Never before the install has ended, and for
      # one that had nothing to do only where its images have code of somebody whom it does not trust.
      class BootImages
        MODES = %w[wait background off].freeze

        SETTING = "spate.boot_images"

        # option: one of MODES, nil where not given. local: whether nobody is asked.
        def initialize(location:, settings:, store:, option: nil, local: false)
          @team = !local && RemoteCache.set?(settings)
          @location = location
          @settings = settings
          @store = store
          @given = option ? by_option(option) : by_setting(settings[SETTING])
        end

        # report: of the install. Yields the events of a build that is waited for. Answers the facts of what was built
        # (Builder::Report#to_h), :background, or nil where nothing was done.
        def call(report, &block)
          forgotten = forget if File.exist?(@store.path(RemoteCache::COMPILED))
          return if (report.noop? && @given != "wait" && !forgotten) || mode == "off"

          require "spate/native/boot"
          mode == "wait" ? wait(&block) : background
        rescue LoadError
          nil # built without it
        end

        private

        def by_option(text)
          return text if MODES.include?(text)

          raise UsageError.new("--boot-images: #{text.inspect} is none of #{MODES.join(", ")}",
                               hint: "spate install --boot-images background")
        end

        def by_setting(text)
          return text if text.nil? || MODES.include?(text)

          raise Settings::InvalidValue.new(SETTING, text, "one of #{MODES.join(", ")}")
        end

        def mode
          return @given if @given

          ::Spate::Boot::Background.forbidden(env) || env["SPATE_BOOT"] == "0" ? "off" : "background"
        end

        def wait(&block)
          ::Spate::Images::Builder::Child.new(@location, images: images, env: env, jobs: @settings[:jobs], team: @team)
                                         .call(&block)
        end

        def background
          asked = @given ? env.merge("SPATE_BOOT_BACKGROUND" => "1") : env
          :background if ::Spate::Boot::Background.start(@location, images: images, env: asked, team: @team)
        end

        # Whether there was code of somebody whom the application does not trust.
        def forget
          require "spate/native/boot"
          context = ::Spate::Install::Context.new(location: @location, settings: @settings, store: @store)
          ::Spate::Images::Distrusted.remove(images, @location, context.trusts)
        end

        def images = @images ||= ::Spate::Boot::ImageFolder.new(@store.root)
        def env = @settings.env
      end
    end
  end
end
