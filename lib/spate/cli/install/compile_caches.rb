# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      # Builds compile caches after an install, in the background or foreground. If the install had nothing to do,
      # builds them only with "wait", or if compile caches contained code from a signer that is not trusted any more.
      class CompileCaches
        MODES = %w[wait background off].freeze

        SETTING = "spate.compile_cache"

        # option: one of MODES, or nil. local: whether to work without network.
        def initialize(location:, settings:, store:, option: nil, local: false)
          @team = !local && RemoteCache.set?(settings)
          @location = location
          @settings = settings
          @store = store
          @given = option ? by_option(option) : by_setting(settings[SETTING])
        end

        # report: the report of the install. Yields the events of a build in the foreground. Returns
        # Builder::Report#to_h, :background, or nil if nothing was done.
        def call(report, &block)
          forgotten = forget if File.exist?(@store.path(RemoteCache::COMPILED))
          return if (report.noop? && @given != "wait" && !forgotten) || mode == "off"

          require "spate/native/boot"
          mode == "wait" ? wait(&block) : background
        rescue LoadError
          nil # built without support for compile caches
        end

        private

        def by_option(text)
          return text if MODES.include?(text)

          raise UsageError.new("--compile-cache: #{text.inspect} is not one of #{MODES.join(", ")}",
                               hint: "spate install --compile-cache background")
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
          ::Spate::CompileCache::Builder::Child.new(@location, caches: caches, env: env,
                                                               jobs: @settings[:jobs], team: @team)
                                               .call(&block)
        end

        def background
          asked = @given ? env.merge("SPATE_BOOT_BACKGROUND" => "1") : env
          :background if ::Spate::Boot::Background.start(@location, caches: caches, env: asked,
                                                                    team: @team)
        end

        # Removes code of untrusted signers. Returns whether there was any.
        def forget
          require "spate/native/boot"
          context = ::Spate::Install::Context.new(location: @location, settings: @settings, store: @store)
          ::Spate::CompileCache::Distrusted.remove(caches, @location, context.trusts)
        end

        def caches = @caches ||= ::Spate::Boot::CompileCacheFolder.new(@store.root)
        def env = @settings.env
      end
    end
  end
end
