# frozen_string_literal: true

module Spate
  module Gemfile
    # The environment for child processes: as the user's shell had it, before `bundle exec` or Spate changed it.
    module Environment
      PREFIX = "BUNDLER_ORIG_"
      # What Bundler notes for keys that were not set.
      NOT_SET = "BUNDLER_ENVIRONMENT_PRESERVER_INTENTIONALLY_NIL"
      HOOK = %r{\A-r\S*bundler/setup(\.rb)?\z}

      # env: Hash or ENV. A new Hash.
      def self.clean(env)
        kept, clean = env.to_h.partition { |key, _| key.start_with?(PREFIX) }.map(&:to_h)
        kept.each do |key, value|
          name = key.delete_prefix(PREFIX)
          value == NOT_SET ? clean.delete(name) : clean[name] = value
        end
        without_hook(clean)
      end

      def self.without_hook(env)
        options = env["RUBYOPT"] or return env

        kept = options.split.grep_v(HOOK).join(" ")
        kept.empty? ? env.except("RUBYOPT") : env.merge("RUBYOPT" => kept)
      end
      private_class_method :without_hook
    end
  end
end
