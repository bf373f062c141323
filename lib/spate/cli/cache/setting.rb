# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # One setting, stored where Bundler stores its own: in the application's .bundle/config, or in the user's.
      class Setting
        # Bundler could not write the setting.
        class NotRemembered < Error
          EXIT_CODE = 9

          def initialize(file, error)
            super("cannot write the setting to #{file}", details: error.details, hint:
              "use --global, or SPATE_CACHE and SPATE_CACHE_KEYS for one run")
          end
        end

        def initialize(name, context, terminal, global: false)
          @name = name
          @context = context
          @terminal = terminal
          @level = global ? :global : :local
        end

        # The value at this level, or nil.
        def value = settings.levels[@level][Settings::Key.for(@name)]

        # nil removes it. Raises NotRemembered.
        def value=(text)
          location = @context.location if @level == :local
          words = text ? ["set", "--#{@level}", @name, text] : ["unset", "--#{@level}", @name]
          Gemfile::BundleCommand.capture(["config", *words], location, env: @context.env)
          done = "#{text ? "remembered in" : "removed from"} #{file}: #{[@name, text].compact.join(" ")}"
          @terminal.tell(Util::Terminal.plain(done))
        rescue Gemfile::BundlerFailed => e
          raise NotRemembered.new(file, e)
        end

        # The current settings.
        def settings
          Settings.load(root: @context.location.root, env: @context.env)
        rescue Gemfile::NotFound
          raise if @level == :local

          Settings.load(root: nil, env: @context.env)
        end

        # The configuration file, for display.
        def file
          return Settings::Folders.new(nil, @context.env).global_config || "your configuration" if @level == :global

          path = Settings::Folders.new(@context.location.root, @context.env).local_config || ".bundle/config"
          path.delete_prefix("#{@context.location.root}/")
        end
      end
    end
  end
end
