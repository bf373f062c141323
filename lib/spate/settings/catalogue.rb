# frozen_string_literal: true

module Spate
  class Settings
    # What becomes of each of Bundler's settings, from 2.3 to 4.0: `docs/settings.md` as data. Only those that Bundler
    # has to follow itself need to be known at run time; they come with the reason that the user reads.
    module Catalogue
      HANDED_OVER = {
        "trust-policy" => "signatures of gems are checked by RubyGems alone",
        "simulate_version" => "it makes Bundler behave as another version of itself",
        "default_install_uses_path" => "it moves the bundle to `.bundle` in some versions of Bundler only",
        "cache_all_platforms" => "archives of other platforms are fetched by Bundler alone",
        "inline" => "it belongs to Gemfiles written inside of scripts"
      }.freeze
      HANDED_OVER_PREFIXES = {
        "local." => "the lockfile follows a git repository of yours, which Bundler has to read"
      }.freeze

      # Why a setting is left to Bundler, nil where it is not.
      def self.reason(name)
        HANDED_OVER[name] || HANDED_OVER_PREFIXES.find { |prefix, _| name.start_with?(prefix) }&.last
      end
    end
  end
end
