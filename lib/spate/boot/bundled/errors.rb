# frozen_string_literal: true

module Spate
  module Boot
    module Bundled
      # Gems that the program is to find are not installed.
      class Incomplete < Error
        EXIT_CODE = 11

        # names: of gems, as Bundler tells them; where they could not be read out of its lines, these.
        def initialize(names, lines)
          count = "#{names.size} gem#{"s" if names.size > 1} of the bundle missing"
          super(names.empty? ? "the bundle is incomplete" : count, details: names.empty? ? lines : names,
                                                                   hint: "spate install")
        end
      end

      # Anything else that Bundler will not set up; the exit code tells which.
      class SetupFailed < Error
        EXIT_CODE = 5
        # By Bundler's own codes, where what they mean at an install is not what they mean here: 13, a folder of
        # `path:` that is not there, and 16, frozen and not what the Gemfile asks for.
        HERE = { 13 => [14, "check the `path` in the Gemfile"],
                 16 => [4, "run `bundle lock` where the bundle is not frozen, and commit the lockfile"] }.freeze

        attr_reader :exit_code

        def initialize(error)
          first, *rest = Trouble.lines(error)
          meaning = Gemfile::BundlerStatus.of(error.status_code, error.message)
          @exit_code, hint = HERE.fetch(error.status_code) { [meaning.code, meaning.hint] }
          super("the bundle cannot be set up: #{first || error.class}", details: rest, hint: hint)
        end
      end
    end
  end
end
