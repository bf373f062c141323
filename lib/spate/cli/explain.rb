# frozen_string_literal: true

module Spate
  module CLI
    # `spate explain`: prints the inputs of a stored result, and whether it is valid here.
    class Explain < Command
      autoload :Build, "spate/cli/explain/subjects"
      autoload :Gemfile, "spate/cli/explain/subjects"

      SUBJECTS = { "build" => :Build, "gemfile" => :Gemfile }.freeze
      # The exit code if nothing is stored.
      NOTHING = 11

      summary "Show what a stored build or Gemfile check depends on"
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

      # Returns the operands preceded by the guessed subject. Raises UsageError.
      def guessed
        Guess.new(operands, context).words.tap do |words|
          terminal.info Util::Terminal.plain("running `spate explain #{words.join(" ")}`")
        end
      end

      # Guesses a missing subject: `spate explain json` means `spate explain build json`.
      class Guess
        GEMFILES = %w[Gemfile Gemfile.lock gems.rb gems.locked].freeze
        GEM = /\A[\w-]+\z/
        JAVASCRIPT = %r{\A(?:js|npm|pnpm|importers?|package(?:-lock)?\.json|pnpm-lock\.yaml|node_modules)(?:/|\z)}

        # context: Command::Context
        def initialize(operands, context)
          @operands = operands
          @context = context
        end

        # Returns the operands preceded by a subject ([String]). Raises UsageError.
        def words
          name = @operands.first or raise UsageError.new("missing subject: #{SUBJECTS.keys.join(" or ")}", hint: HELP)
          return ["gemfile"] if @operands.size == 1 && gemfile?(name)
          return ["build", *@operands] if (@operands - gems).empty? || (!@context.bundle? && GEM.match?(name))

          raise UsageError.new("unknown subject #{name.inspect}: expected #{SUBJECTS.keys.join(", ")} or " \
                               "a gem of this bundle",
                               hint: other_command(name) || similar(name) || HELP)
        end

        HELP = "spate explain --help"
        private_constant :HELP

        private

        def gemfile?(name)
          GEMFILES.include?(name) ||
            (@context.bundle? && @context.location.to_a.first(2).include?(File.expand_path(name)))
        end

        # Names and full names of gems in the lockfile, and names of gems with stored builds.
        def gems = @gems ||= [*locked, *::Spate::Build::Explanation.new(@context.store, Dir.pwd, @context.env).names]

        def locked
          @context.lockfile.specs.flat_map { |spec| [spec.name, spec.full_name] }
        rescue Error
          [] # no lockfile, or an unreadable one
        end

        def other_command(name)
          return "for node_modules: `spate js check` or `spate js scripts`" if name.match?(JAVASCRIPT)

          "to see which file `require` loads: spate boot explain #{name}" if name.include?("/") || name.end_with?(".rb")
        end

        def similar(name)
          subject = Util::Suggestion.near(name, SUBJECTS.keys)
          gem = Util::Suggestion.near(name, gems.uniq) unless subject
          words = subject ? [subject, *@operands.drop(1)] : ["build", gem]
          "did you mean `spate explain #{words.join(" ")}`?" if subject || gem
        end
      end
    end
  end
end
