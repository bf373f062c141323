# frozen_string_literal: true

module Spate
  module Ground
    # The environment for child processes: as the user's shell had it, before `bundle exec` or Spate changed it.
    module Environment
      PREFIX = "BUNDLER_ORIG_"
      # What Bundler notes for keys that were not set.
      NOT_SET = "BUNDLER_ENVIRONMENT_PRESERVER_INTENTIONALLY_NIL"
      HOOK = %r{\A-r\S*bundler/setup(\.rb)?\z}

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
