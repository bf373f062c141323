# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      module BundlerSetup
        # Gems that the program needs are not installed.
        class Incomplete < Error
          EXIT_CODE = 11

          # names: gem names from Bundler's message. lines: the whole message, shown if it contains no gem names.
          def initialize(names, lines)
            count = "#{names.size} gem#{"s" if names.size > 1} of the bundle missing"
            super(names.empty? ? "the bundle is incomplete" : count, details: names.empty? ? lines : names,
                                                                     hint: "spate install")
          end
        end

        # Bundler's setup failed for another reason. The exit code identifies the reason.
        class SetupFailed < Error
          EXIT_CODE = 5
          # Bundler's status codes that mean something else during an install. 13: the folder of a `path:` is missing.
          # 16: the lockfile is frozen and does not match the Gemfile.
          HERE = { 13 => [14, "check the `path` in the Gemfile"],
                   16 => [4, "run `spate lock` where the bundle is not frozen, and commit the lockfile"] }.freeze

          attr_reader :exit_code

          def initialize(error)
            first, *rest = ErrorReport.lines(error)
            meaning = Gemfile::BundlerStatus.of(error.status_code, error.message)
            @exit_code, hint = HERE.fetch(error.status_code) { [meaning.code, meaning.hint] }
            super("the bundle cannot be set up: #{first || error.class}", details: rest, hint: hint)
          end
        end
      end
    end
  end
end
