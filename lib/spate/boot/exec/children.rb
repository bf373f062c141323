# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      # Sets up the bundle in Ruby programs that the program starts, like `bundle exec` but with the compile cache:
      # their RUBYOPT loads children/bundler/setup.rb, which on another Ruby acts like Bundler's own file.
      module Children
        FILE = "#{FOLDER}/exec/children/bundler/setup".freeze
        RUBY = "SPATE_RUBY"
        BUNDLER = "SPATE_BUNDLER_SETUP"

        class << self
          # Identifies this Ruby to children.
          def ruby = Util::Ruby.description

          # Replaces Bundler's file by Spate's.
          def take_over(session)
            # RUBYOPT cannot quote a space.
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
