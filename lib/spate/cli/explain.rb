# frozen_string_literal: true

module Spate
  module CLI
    # `spate explain`: shows what a stored result depends on, and whether it is valid here.
    class Explain < Command
      autoload :Build, "spate/cli/explain/build"
      autoload :Gemfile, "spate/cli/explain/gemfile"
      autoload :Guess, "spate/cli/explain/guess"

      SUBJECTS = { "build" => :Build, "gemfile" => :Gemfile }.freeze
      # Exit code if nothing is stored.
      NOTHING = 11

      summary "Show what a stored result depends on, and what makes it stale"
      bundle_options
      common_options
      example "spate explain build nokogiri", "its stored builds, and which one would be used here"
      example "spate explain build nokogiri --verbose", "every file, program and variable"
      example "spate explain gemfile", "Bundler's stored results, and whether they are valid"
      note "A build with unchanged inputs is used if its gem, Ruby, dependencies and arguments are the same,\n" \
           "and it was not removed. Exit code 11 if nothing is stored. See docs/builds.md."

      def self.usages = SUBJECTS.each_value.map { |name| const_get(name)::USAGE }

      def run
        name, *rest = SUBJECTS.key?(operands.first) ? operands : guessed
        Explain.const_get(SUBJECTS[name]).new(rest, values: values, terminal: terminal, context: context).run
      end

      private

      # The operands with the missing subject added. Raises UsageError.
      def guessed
        Guess.new(operands, context).words.tap do |words|
          terminal.tell Util::Terminal.plain("running `spate explain #{words.join(" ")}`")
        end
      end
    end
  end
end
