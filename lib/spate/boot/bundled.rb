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

        # The environment, by which the program is found and children set up. Where there is no Gemfile Bundler says so
        # and exits.
        def environment
          return if set_up?

          activate
          first
          require "bundler"
          require "bundler/friendly_errors"
          ::Bundler.with_friendly_errors { ::Bundler::SharedHelpers.set_bundle_environment }
        end

        # Bundler's program puts its own library first.
        def first
          mark = $LOADED_FEATURES.find { |path| path.end_with?("/lib/bundler.rb") }
          library = mark ? File.dirname(mark) : ::Gem.loaded_specs["bundler"]&.full_require_paths&.first
          $LOAD_PATH.unshift($LOAD_PATH.delete(library) || library) if library && $LOAD_PATH.first != library
        end

        # The load path. Where a gem is missing Bundler says so and exits.
        def set_up
          return if set_up?

          # A child's parent knows which Bundler.
          ENV[Children::BUNDLER] ? require(ENV[Children::BUNDLER]) : environment
          require "bundler/setup"
        end

        private

        # The version that the lockfile names, where it is installed.
        def activate
          Lean.rubygems
          Lean.messages
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
