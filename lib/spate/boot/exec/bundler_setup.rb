# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      # Runs the setup of `bundle exec` with the real Bundler, if no Bundler replay can be used.
      module BundlerSetup
        autoload :ErrorReport, "#{FOLDER}/exec/bundler_setup/error_report"

        class << self
          # Whether Bundler or a Bundler replay has already run in this process (RUBYOPT, `bundle exec`,
          # config/boot.rb).
          def set_up?
            $LOADED_FEATURES.any? { |path| path.end_with?("/bundler/setup.rb") && !path.start_with?(FOLDER) }
          end

          # Sets up the environment for finding the program and for child processes. Exits if there is no Gemfile.
          def environment
            return if set_up?

            activate
            extend_rubygems
            name_bundle
          end

          # Like Bundler's program, puts Bundler's library first on the load path if the program is in Bundler's gem.
          def library_first
            mark = $LOADED_FEATURES.find { |path| path.end_with?("/lib/bundler.rb") }
            library = mark ? File.dirname(mark) : ::Gem.loaded_specs["bundler"]&.full_require_paths&.first
            return if library.nil? || $LOAD_PATH.first == library || !File.exist?(library)

            $LOAD_PATH.unshift($LOAD_PATH.delete(library) || library)
          end

          # Sets up the load path. Exits if a gem is missing.
          def set_up
            return if set_up?

            # In a child process the parent has already chosen the version of Bundler.
            hook = ENV[Children::BUNDLER]
            unless hook
              activate
              name_bundle
            end
            reporting_errors { first_set_up(hook) }
            require(hook || "bundler/setup")
          end

          private

          # Loads the files that RubyGems 4 loads before Bundler's program. Older Bundler versions define some of these
          # constants again, so Ruby prints the same warnings as under `bundle exec`.
          def extend_rubygems
            bundler = ::Gem.loaded_specs["bundler"]
            ::Gem.load_bundler_extensions(bundler.version) if bundler && ::Gem.respond_to?(:load_bundler_extensions)
          end

          def name_bundle
            library_first
            require "bundler"
            reporting_errors { ::Bundler::SharedHelpers.set_bundle_environment }
          end

          # Replaces bundler/setup, which would print errors itself and exit if stdout is a terminal.
          def first_set_up(hook)
            return unless hook.nil? || in_bundle?(hook)

            require(hook ? File.expand_path("../bundler", File.dirname(hook)) : "bundler")
            %i[auto_switch auto_install].each { |name| ::Bundler.public_send(name) if ::Bundler.respond_to?(name) }
            ::Bundler.ui.silence { ::Bundler.setup }
          end

          def in_bundle?(hook)
            require File.expand_path("../shared_helpers", hook)
            ::Bundler::SharedHelpers.in_bundle?
          end

          def reporting_errors
            yield
          rescue StandardError => e
            raise unless defined?(::Bundler::BundlerError) && e.is_a?(::Bundler::BundlerError)

            ErrorReport.print_and_exit(e)
          end

          # Activates the lockfile's version of Bundler, if it is installed.
          def activate
            Prelude.rubygems
            Prelude.messages
            return if ::Gem.loaded_specs.key?("bundler")

            begin
              gem "bundler", ">= 0.a" # accepts pre-releases, like Bundler's program
            rescue ::Gem::LoadError
              # The version required by BUNDLER_VERSION or the lockfile is not installed.
              ENV.delete("BUNDLER_VERSION")
              ::Gem::Specification.find_all_by_name("bundler").max_by(&:version)&.activate
            end
          end
        end
      end
    end
  end
end
