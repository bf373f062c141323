# frozen_string_literal: true

module Spate
  module Util
    # The environment for child processes: the variables of the user's shell, without the changes by `bundle exec` or
    # Spate.
    module Environment
      # Bundler saves the original values in variables with this prefix.
      PREFIX = "BUNDLER_ORIG_"
      # The value that Bundler saves for variables that were not set.
      NOT_SET = "BUNDLER_ENVIRONMENT_PRESERVER_INTENTIONALLY_NIL"
      # Matches the Ruby option that sets up a bundle.
      HOOK = %r{\A-r\S*bundler/setup(\.rb)?\z}

      # Removed from the environment of every child: see SigningKey.
      SIGNING_KEY = "SPATE_CACHE_KEY"

      # env: Hash or ENV. Returns a new Hash.
      def self.clean(env)
        clean = original(env).except(SIGNING_KEY)
        options = ruby_options(clean)
        options ? clean.merge("RUBYOPT" => options) : clean.except("RUBYOPT")
      end

      # RUBYOPT without options that set up a bundle, or nil if there are no others.
      def self.ruby_options(env)
        kept = env["RUBYOPT"].to_s.split.grep_v(HOOK)
        kept.join(" ") unless kept.empty?
      end

      # Equivalent to Bundler.original_env.
      def self.original(env)
        saved, current = env.to_h.partition { |key, _| key.start_with?(PREFIX) }.map(&:to_h)
        saved.each do |key, value|
          name = key.delete_prefix(PREFIX)
          value == NOT_SET ? current.delete(name) : current[name] = value
        end
        current
      end
    end
  end
end
