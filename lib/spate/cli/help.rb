# frozen_string_literal: true

module Spate
  module CLI
    # `spate help [COMMAND]`
    class Help < Command
      autoload :ManPage, "spate/cli/help/man_page"

      summary "Show this help, or a command's"
      usage "spate help [COMMAND]"
      option :man, "--man", "print everything as a manual page"
      common_options
      example "spate help --man | man -l -", "read the manual page; install it as share/man/man1/spate.1"

      def run
        return ManPage.new.print(terminal.out) if values[:man]

        name = operands.first or return overview
        name = ALIASES.fetch(name, name)
        return explain(name, operands.drop(1)) if COMMANDS.key?(name)

        PassThrough.new(name, ["--help"], terminal: terminal, env: env).run
      end

      private

      # `help store prune` is explained in the help of `store`.
      def explain(name, rest)
        command = CLI.const_get(COMMANDS[name])
        odd = rest.find { |word| command.usages.none? { |usage| usage.start_with?("spate #{name} #{word} ") } }
        return HelpText.new(command).print(terminal.out) unless odd || rest.length > 1

        raise UsageError.new("`spate help` takes one command, got #{(odd || rest.last).inspect} after #{name}",
                             hint: "spate help #{name}")
      end

      def overview
        rows = COMMANDS.map { |name, constant| [name, CLI.const_get(constant).summary] }
        terminal.out.puts "Spate installs a Ruby application's bundle, and boots its programs fast.", "",
                          "Usage: spate COMMAND [options]", "", "Commands:", *HelpText.rows(rows), "",
                          "`add`, `remove` and `update` run Bundler to resolve, then install.",
                          "All other commands of Bundler are passed to Bundler.", "",
                          "`spate COMMAND --help` explains a command."
        0
      end
    end
  end
end
