# frozen_string_literal: true

module Spate
  module CLI
    # The base class of all commands. Each option is declared once, for the parser and the help.
    class Command
      autoload :Context, "spate/cli/command/context"
      autoload :Delegated, "spate/cli/command/delegated"
      autoload :Subcommand, "spate/cli/command/subcommand"
      %i[Option Parser].each { |name| autoload name, "spate/cli/command/parser" }

      class << self
        def options = @options ||= []
        def usages = @usages ||= []
        def examples = @examples ||= []
        def notes = @notes ||= []

        def summary(text = nil)
          @summary = text if text
          @summary
        end

        def usage(text) = usages << text
        def example(command, meaning) = examples << [command, meaning]
        def note(text) = notes << text

        # option :jobs, "-j", "--jobs", "N", "how many …", kind: :integer
        def option(key, *names, description, kind: nil)
          argument = names.pop unless names.last.start_with?("-")
          kind ||= argument ? :string : :switch
          options << Option.new(key: key, names: names, argument: argument, kind: kind, description: description)
        end

        # Options of every command.
        def common_options
          option :quiet, "-q", "--quiet", "print only errors"
          option :verbose, "--verbose", "print more, with a backtrace after an error"
          option :json, "--json", "print one JSON event per line on stdout (docs/events.md)"
          option :color, "--[no-]color", "use colours even without a terminal; NO_COLOR is respected"
          option :help, "-h", "--help", "print this help"
        end

        def bundle_options
          option :gemfile, "--gemfile", "FILE", "the Gemfile to use, instead of the nearest one"
          option :store, "--store", "DIR", "the store's home, instead of $SPATE_HOME or the cache folder"
        end

        def name_on_line = COMMANDS.key(name[/\w+\z/].to_sym)

        # Declares options and subcommands of this command that only Bundler supports.
        def left_to_bundler(*words) = (@left_to_bundler ||= []).concat(words)

        # The first option or subcommand in argv that only Bundler supports, or nil.
        def bundler_only_word(argv)
          (argv.take_while { |word| word != "--" }.map { |word| word[/\A[^=]*/] } & left_to_bundler).first
        end

        def run(argv, terminal:, env:)
          if (word = bundler_only_word(argv))
            terminal.info "running Bundler for #{word}: bundle #{name_on_line} #{argv.join(" ")}"
            return PassThrough.new(name_on_line, argv, terminal: terminal, env: env).plain
          end

          values, operands = parse(argv)
          return Help::Text.new(self).print(terminal.out) if values[:help]

          terminal.color = values[:color] if values.key?(:color)
          terminal.quiet = values[:quiet]
          terminal.verbose = values[:verbose]
          new(values, operands, terminal: terminal, env: env).run
        end

        def parse(argv)
          Parser.new(options, help: "spate #{name_on_line} --help") { |name| elsewhere(name) }.parse(argv)
        end

        # Returns a hint if another command has an option of this name, or nil.
        def elsewhere(_name) = nil
      end

      def initialize(values, operands, terminal:, env:)
        @values = values
        @operands = operands
        @terminal = terminal
        @env = env
      end

      private

      attr_reader :values, :operands, :terminal, :env

      def no_operands!
        return if operands.empty?

        line = "spate #{self.class.name_on_line}"
        raise UsageError.new("`#{line}` takes no operands, got #{operands.first.inspect}", hint: "#{line} --help")
      end

      # The Context of this command, created on first use.
      def context = @context ||= Context.new(values: values, env: env, terminal: terminal, makes: makes_store?)

      # Whether the command may create a store.
      def makes_store? = true

      def json? = values[:json]
      def json = @json ||= Util::JsonLines.new(terminal.out)
    end
  end
end
