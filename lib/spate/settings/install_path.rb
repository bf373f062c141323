# frozen_string_literal: true

module Spate
  class Settings
    # The install path of gems according to the settings. explicit: the path as set (relative to the application), or
    # nil for RubyGems' folder.
    InstallPath = Struct.new(:explicit) do
      # As in Bundler, uses the first level that has one of the settings `path`, `path.system` and the old
      # `disable_shared_gems: false`. Without any of them, `deployment` means vendor/bundle.
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

      # Whether gems are installed in the same folder as by `gem install`.
      def system? = explicit.nil?

      # The absolute path without `ruby/3.1.0`, or nil for RubyGems' folder.
      def absolute(root)
        explicit && File.expand_path(explicit, root)
      end
    end
  end
end
