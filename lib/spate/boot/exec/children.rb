# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      # Sets up the bundle in Ruby child processes, like `bundle exec` but with the compile cache. RUBYOPT makes them
      # load children/bundler/setup.rb. On a different Ruby, that file loads Bundler's file.
      module Children
        FILE = "#{FOLDER}/exec/children/bundler/setup".freeze
        RUBY = "SPATE_RUBY"
        BUNDLER = "SPATE_BUNDLER_SETUP"

        class << self
          # Child processes compare this description with theirs to detect a different Ruby.
          def ruby = Util::Ruby.description

          # Replaces Bundler's setup file in the environment with Spate's.
          def take_over(session)
            # RUBYOPT does not support quoting of spaces.
            return if FILE.match?(/\s/) || !(session.on?(:compile_cache) || session.on?(:loader))

            words = ENV["RUBYOPT"].to_s.split
            hooks, rest = words.partition { |word| word.match?(Util::Environment::HOOK) }
            return if hooks.empty?

            bundler = hooks.find { |word| word != "-r#{FILE}" }
            ENV[BUNDLER] = bundler.delete_prefix("-r") if bundler
            ENV[RUBY] = ruby
            ENV["RUBYOPT"] = ["-r#{FILE}", *rest].join(" ")
            # Newer RubyGems versions load this file before RUBYOPT.
            ENV["BUNDLER_SETUP"] = FILE if ENV["BUNDLER_SETUP"]
          end
        end
      end
    end
  end
end
