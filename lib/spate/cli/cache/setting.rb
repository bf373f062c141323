# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # One setting, kept where Bundler keeps its own: in the application's .bundle/config, or in the user's.
      class Setting
        def initialize(name, context, terminal, global: false)
          @name = name
          @context = context
          @terminal = terminal
          @level = global ? "--global" : "--local"
        end

        # Its value at this level, nil where it has none.
        def value
          settings = Settings.load(root: @context.location.root, env: @context.env)
          settings.levels[@level == "--global" ? :global : :local][Settings::Key.for(@name)]
        rescue Gemfile::NotFound
          raise if @level == "--local"

          Settings.load(root: nil, env: @context.env).levels[:global][Settings::Key.for(@name)]
        end

        # nil forgets it. Raises Gemfile::BundlerFailed.
        def value=(text)
          location = @context.location if @level == "--local"
          words = text ? ["set", @level, @name, text] : ["unset", @level, @name]
          Gemfile::BundleCommand.capture(["config", *words], location, env: @context.env)
          @terminal.tell("#{text ? "remembered" : "forgotten"} in #{file}: #{[@name, text].compact.join(" ")}")
        end

        private

        def file
          return "your configuration" if @level == "--global"

          path = Settings::Folders.new(@context.location.root, @context.env).local_config || ".bundle/config"
          path.delete_prefix("#{@context.location.root}/")
        end
      end
    end
  end
end
