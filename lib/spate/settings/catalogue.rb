# frozen_string_literal: true

module Spate
  class Settings
    # Lists settings that only Bundler supports, with a reason for the user. `docs/settings.md` describes all other
    # settings.
    module Catalogue
      HANDED_OVER = {
        "trust-policy" => "only RubyGems checks signatures of gems",
        "simulate_version" => "it makes Bundler behave as another version of itself",
        "default_install_uses_path" => "only some versions of Bundler move the bundle to `.bundle`",
        "cache_all_platforms" => "only Bundler fetches archives of other platforms",
        "inline" => "it is for Gemfiles inside of scripts",
        "no_build_extension" => "only Bundler installs gems without their extensions",
        "no_install_plugin" => "only Bundler installs gems without their plugins",
        "prune" => "Bundler removes its own archives and clones after an installation",
        "credential_store" => "only Bundler can read passwords from a credential store"
      }.freeze
      PREFIXES = {
        "local." => "the lockfile follows a local git repository, which only Bundler supports"
      }.freeze

      # [Setting]: those of these settings that are set.
      def self.unsupported(settings)
        settings.names.filter_map do |name|
          reason = reason(name) or next
          value = settings[name]
          Setting.new(name, value, reason) if value && value != []
        end
      end

      # The reason why only Bundler supports a setting, or nil for other settings.
      def self.reason(name)
        HANDED_OVER[name] || PREFIXES.find { |prefix, _| name.start_with?(prefix) }&.last
      end
    end
  end
end
