# frozen_string_literal: true

module Spate
  module Gemfile
    # Of the environment what an answer of Bundler's may stand on.
    module Environment
      # Keys that decide what Bundler and RubyGems do, beside all that begin with BUNDLE.
      WATCHED = %w[
        GEM_HOME GEM_PATH GEM_SPEC_CACHE GEM_SKIP RUBYGEMS_GEMDEPS RUBYLIB RUBYOPT HOME XDG_CONFIG_HOME XDG_CACHE_HOME
        XDG_DATA_HOME RUBY_BOX
      ].freeze

      # What the locale is to Ruby, as if it were a variable.
      ENCODING = "Encoding"
      # BUNDLE_GEMFILE as the user has it, for a Gemfile that asks.
      NAMED = "Named Gemfile"

      # Of an environment, as `compared` answers it.
      def self.watched(env) = [*WATCHED, *env.keys.select { |key| key.start_with?("BUNDLE") }]

      # What answers are compared by: before any Bundler, the same with and without the Gemfile's own name.
      def self.compared(env, gemfile)
        clean = Ground::Environment.clean(env)
        clean.delete("SPATE_BUNDLER_SETUP")
        clean[ENCODING] = [Encoding.default_external, Encoding.default_internal, Encoding.find("locale")].join(" ")
        named = clean["BUNDLE_GEMFILE"]
        clean[NAMED] = [named, File.expand_path(named)].join(" ") if named
        clean.delete("BUNDLE_GEMFILE") if named && (named == gemfile || File.expand_path(named) == gemfile)
        clean
      end
    end
  end
end
