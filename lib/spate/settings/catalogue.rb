# frozen_string_literal: true

module Spate
  class Settings
    # Settings that only Bundler supports, with the reason shown to the user. `docs/settings.md` has all the others.
    module Catalogue
      HANDED_OVER = {
        "trust-policy" => "signatures of gems are checked by RubyGems alone",
        "simulate_version" => "it makes Bundler behave as another version of itself",
        "default_install_uses_path" => "it moves the bundle to `.bundle` in some versions of Bundler only",
        "cache_all_platforms" => "archives of other platforms are fetched by Bundler alone",
        "inline" => "it belongs to Gemfiles written inside of scripts",
        "no_build_extension" => "gems without their extensions are Bundler's own idea of installed",
        "no_install_plugin" => "gems without their plugins are Bundler's own idea of installed",
        "prune" => "Bundler removes its own archives and clones after an installation",
        "credential_store" => "passwords are in a store that Bundler alone can ask"
      }.freeze
      PREFIXES = {
        "local." => "the lockfile follows a git repository of yours, which Bundler has to read"
      }.freeze

      # Array of Setting: those that are set.
      def self.unsupported(settings)
        settings.names.filter_map do |name|
          reason = reason(name) or next
          value = settings[name]
          Setting.new(name, value, reason) if value && value != []
        end
      end

      # Why a setting is left to Bundler, nil if it is not.
      def self.reason(name)
        HANDED_OVER[name] || PREFIXES.find { |prefix, _| name.start_with?(prefix) }&.last
      end
    end
  end
end
