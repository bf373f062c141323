# frozen_string_literal: true

module Spate
  module Gemfile
    # The environment for child processes: as the user's shell had it, before `bundle exec` or Spate changed it.
    module Environment
      PREFIX = "BUNDLER_ORIG_"
      # What Bundler notes for keys that were not set.
      NOT_SET = "BUNDLER_ENVIRONMENT_PRESERVER_INTENTIONALLY_NIL"
      HOOK = %r{\A-r\S*bundler/setup(\.rb)?\z}

      # Keys that decide what Bundler and RubyGems do, beside all that begin with BUNDLE.
      WATCHED = %w[
        GEM_HOME GEM_PATH GEM_SPEC_CACHE GEM_SKIP RUBYGEMS_GEMDEPS RUBYLIB RUBYOPT HOME XDG_CONFIG_HOME XDG_CACHE_HOME
        XDG_DATA_HOME RUBY_BOX
      ].freeze

      # What the locale is to Ruby, as if it were a variable.
      ENCODING = "Encoding"

      # Of an environment, as `compared` answers it.
      def self.watched(env) = [*WATCHED, *env.keys.select { |key| key.start_with?("BUNDLE") }]

      # What answers are compared by: before any Bundler, the same with and without the Gemfile's own name.
      def self.compared(env, gemfile)
        clean = clean(env)
        clean.delete("SPATE_BUNDLER_SETUP")
        clean[ENCODING] = [Encoding.default_external, Encoding.default_internal, Encoding.find("locale")].join(" ")
        named = clean["BUNDLE_GEMFILE"]
        clean.delete("BUNDLE_GEMFILE") if named && (named == gemfile || File.expand_path(named) == gemfile)
        clean
      end

      # env: Hash or ENV. A new Hash.
      def self.clean(env)
        clean = original(env)
        options = clean["RUBYOPT"] or return clean

        kept = options.split.grep_v(HOOK).join(" ")
        kept.empty? ? clean.except("RUBYOPT") : clean.merge("RUBYOPT" => kept)
      end

      # What Bundler calls so.
      def self.original(env)
        kept, original = env.to_h.partition { |key, _| key.start_with?(PREFIX) }.map(&:to_h)
        kept.each do |key, value|
          name = key.delete_prefix(PREFIX)
          value == NOT_SET ? original.delete(name) : original[name] = value
        end
        original
      end
    end
  end
end
