# frozen_string_literal: true

module Spate
  module Boot
    # The real Bundler, where no stand-in may answer: as `bundle exec` sets up.
    module Bundled
      class << self
        # Whether a Bundler, or a stand-in, has already set up in this process (RUBYOPT, `bundle exec`, config/boot.rb).
        def set_up?
          $LOADED_FEATURES.any? { |path| path.end_with?("/bundler/setup.rb") && !path.start_with?(FOLDER) }
        end

        # The environment for children, then the load path. Where something is missing Bundler says so and exits.
        def set_up
          return if set_up?
          # A child of a program that is set up: its parent knows which Bundler.
          return require(ENV[Children::BUNDLER]) if ENV[Children::BUNDLER]

          activate
          require "bundler"
          require "bundler/friendly_errors"
          ::Bundler.with_friendly_errors { ::Bundler::SharedHelpers.set_bundle_environment }
          require "bundler/setup"
        end

        private

        # The version that the lockfile names, where it is installed.
        def activate
          require "rubygems"
          return if ::Gem.loaded_specs.key?("bundler")

          begin
            gem "bundler"
          rescue ::Gem::LoadError
            # The version that BUNDLER_VERSION or the lockfile insists on is not installed.
            ENV.delete("BUNDLER_VERSION")
            ::Gem::Specification.find_all_by_name("bundler").max_by(&:version)&.activate
          end
        end
      end
    end
  end
end
