# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      # Runs Bundler to store the options in the application's .bundle/config, unless they are already there. `bundle
      # exec` needs the options that determine the path and groups of the bundle.
      class RememberedOptions
        NAMES = { path: "path", system: "path.system", deployment: "deployment", without: "without", with: "with",
                  only: "only", copy: "spate.copy", js: "spate.js" }.freeze
        # Options whose `--no-` form removes the setting instead of setting it to false.
        REMOVABLE = %i[js].freeze
        # Options that must not apply to other applications, because they run code from the application's folder.
        OWN = %i[js].freeze

        def initialize(values, context, terminal)
          @values = values
          @context = context
          @terminal = terminal
        end

        def keep
          given = NAMES.select { |key, _| @values.key?(key) }
          return if given.empty?

          before = Settings.load(root: @context.location.root, env: @context.env)
          given.each do |key, name|
            next forget(name, before) if REMOVABLE.include?(key) && !@values[key]
            next unremembered(name, true) if OWN.include?(key) && shared?

            value = text(@values[key])
            set(name, value) unless before.origin(name) == :local && text(before[name]) == value
          end
        end

        private

        def text(value) = value.is_a?(Array) ? value.map(&:to_s).sort.join(":") : value.to_s

        def forget(name, before)
          return if before.levels[:local][Settings::Key.for(name)].nil?

          config("unset", "--local", name)
          @terminal.info("removed from #{file}: #{name}")
        end

        def folders = Settings::Folders.new(@context.location.root, @context.env)
        def file = (folders.local_config || ".bundle/config").delete_prefix("#{@context.location.root}/")
        # Whether other applications may use the same configuration (BUNDLE_APP_CONFIG).
        def shared? = file.start_with?("/")

        def unremembered(name, value)
          @terminal.warning("not remembered: #{name} #{value}; other applications may use #{file} as well",
                            hint: "for the next install, set #{Settings::Key.for(name)}=#{value}")
        end

        def config(*arguments)
          Gemfile::BundleCommand.run(["config", *arguments], location: @context.location, env: @context.env)
        end

        def set(name, value)
          status = config("set", "--local", name, value)
          return @terminal.info("remembered in #{file}: #{name} #{value}") if status.zero?

          @terminal.warning("not remembered in #{file}: #{name} #{value}",
                            hint: "for `bundle exec`, set #{Settings::Key.for(name)}=#{value}")
        end
      end
    end
  end
end
