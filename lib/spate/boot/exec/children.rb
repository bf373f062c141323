# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      # Ruby programs that the program starts find the bundle set up, as under `bundle exec`, and by the same compile
      # cache: their RUBYOPT loads children/bundler/setup.rb, which on another Ruby does what Bundler's own file would.
      module Children
        FILE = "#{FOLDER}/exec/children/bundler/setup".freeze
        RUBY = "SPATE_RUBY"
        BUNDLER = "SPATE_BUNDLER_SETUP"

        class << self
          # Identifies this Ruby to children.
          def ruby = Util::Ruby.description

          # Puts Spate's file in the place of Bundler's.
          def take_over(session)
            # RUBYOPT has no way to quote a blank.
            return if FILE.match?(/\s/) || !(session.on?(:compile_cache) || session.on?(:loader))

            words = ENV["RUBYOPT"].to_s.split
            hooks, rest = words.partition { |word| word.match?(Util::Environment::HOOK) }
            return if hooks.empty?

            bundler = hooks.find { |word| word != "-r#{FILE}" }
            ENV[BUNDLER] = bundler.delete_prefix("-r") if bundler
            ENV[RUBY] = ruby
            ENV["RUBYOPT"] = ["-r#{FILE}", *rest].join(" ")
            # Newer RubyGems load this before RUBYOPT.
            ENV["BUNDLER_SETUP"] = FILE if ENV["BUNDLER_SETUP"]
          end
        end
      end
    end
  end
end
