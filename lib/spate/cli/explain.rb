# frozen_string_literal: true

module Spate
  module CLI
    # `spate explain`: what a kept result depends on, and whether it holds here.
    class Explain < Command
      autoload :Build, "spate/cli/explain/build"
      autoload :Gemfile, "spate/cli/explain/gemfile"
      autoload :Guess, "spate/cli/explain/guess"

      SUBJECTS = { "build" => :Build, "gemfile" => :Gemfile }.freeze
      # Exit code where nothing is stored.
      NOTHING = 11

      summary "Show what a stored result depends on, and what makes it stale"
      bundle_options
      common_options
      example "spate explain build nokogiri", "its stored builds, and which would be used here"
      example "spate explain build nokogiri --verbose", "every file, program, variable"
      example "spate explain gemfile", "what was kept of what Bundler said, and whether it holds"
      note "A build whose inputs hold is used if its gem, Ruby, dependencies and arguments are the same as\n" \
           "well, and it was not forgotten. Exit code 11 where nothing is kept. docs/builds.md has more."

      def self.usages = SUBJECTS.each_value.map { |name| const_get(name)::USAGE }

      def run
        name, *rest = SUBJECTS.key?(operands.first) ? operands : guessed
        Explain.const_get(SUBJECTS[name]).new(rest, values: values, terminal: terminal, context: context).run
      end

      private

      # The operands with the subject that they leave out. Raises UsageError.
      def guessed
        Guess.new(operands, context).words.tap do |words|
          terminal.tell Ground::Terminal.plain("running `spate explain #{words.join(" ")}`")
        end
      end
    end
  end
end
