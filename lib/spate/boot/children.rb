# frozen_string_literal: true

module Spate
  module Boot
    # Ruby programs that the program starts find the bundle set up, as under `bundle exec`, and by the same image. Their
    # RUBYOPT loads children/bundler/setup.rb, which on another Ruby does what Bundler's own would.
    module Children
      FILE = "#{FOLDER}/children/bundler/setup"
      RUBY = "SPATE_RUBY"
      OWN = %r{-r\S*/bundler/setup(\.rb)?(?=\s|\z)}

      class << self
        # Puts our file where Bundler, or its stand-in, has put its own.
        def set_up(session)
          return unless session.on?(:images) || session.on?(:loader)

          options = ENV["RUBYOPT"].to_s
          return unless options.match?(OWN)

          ENV["SPATE_BUNDLER_SETUP"] = options[OWN].delete_prefix("-r") unless options.include?(FILE)
          ENV[RUBY] = RUBY_DESCRIPTION
          ENV["RUBYOPT"] = options.sub(OWN, "-r#{FILE}")
        end
      end
    end
  end
end
