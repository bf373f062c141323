# frozen_string_literal: true

module Spate
  class Settings
    # The install path of gems from the settings. explicit: the path as set (relative to the application); nil for
    # RubyGems' folder.
    InstallPath = Struct.new(:explicit) do
      # The first level with one of these settings decides, as in Bundler: `path`, `path.system`, and the old
      # `disable_shared_gems: false`. Without any of them `deployment` means vendor/bundle.
      def self.from(settings)
        settings.levels.each do |origin, values|
          path, system, shared = %w[path path.system disable_shared_gems].map do |name|
            Value.convert(values[Key.for(name)], name)
          end
          next if path.nil? && system.nil? && shared.nil?

          system ||= shared == false
          raise PathConflict.new(path, origin) if path && system

          return new(system ? nil : path)
        end
        new(settings.bool(:deployment) ? "vendor/bundle" : nil)
      end

      # Whether gems are installed where `gem install` puts them.
      def system? = explicit.nil?

      # The folder without `ruby/3.1.0`; nil for the system's.
      def absolute(root)
        explicit && File.expand_path(explicit, root)
      end
    end
  end
end
