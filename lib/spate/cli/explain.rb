# frozen_string_literal: true

module Spate
  module CLI
    # `spate explain`: what a kept result stands on, and whether it holds here. Each file in explain/ is a subject.
    class Explain < Command
      FOLDER = File.expand_path("explain", __dir__)
      NOTHING = 11

      summary "Tell what a kept result stands on, and what would make it stale"
      bundle_options
      common_options
      example "spate explain build nokogiri", "its stored builds, and which would be used here"
      example "spate explain build nokogiri --verbose", "every file, program, variable"
      example "spate explain gemfile", "what was kept of what Bundler said, and whether it holds"
      note "A build whose inputs hold is used if its gem, Ruby, dependencies and arguments are the same as\n" \
           "well, and it was not forgotten. Exit code 11 where nothing is kept. docs/builds.md has more."

      class << self
        # Names of what can be explained.
        def subjects = Dir.children(FOLDER).map { |name| File.basename(name, ".rb") }.sort

        def usages = subjects.map { |name| subject(name)::USAGE }

        # The class behind a name.
        def subject(name)
          require_relative "explain/#{name}"
          const_get(name.capitalize, false)
        end
      end

      def run
        name, *rest = operands
        raise unknown(name) unless Explain.subjects.include?(name)

        Explain.subject(name).new(rest, values: values, terminal: terminal, context: context).run
      end

      private

      def unknown(name)
        near = name && Ground::Suggestion.near(name, Explain.subjects)
        message = name ? "nothing of the kind #{name.inspect} is kept" : "which of #{Explain.subjects.join(", ")}?"
        UsageError.new(message, hint: near ? "did you mean `spate explain #{near}`?" : "spate explain --help")
      end
    end
  end
end
