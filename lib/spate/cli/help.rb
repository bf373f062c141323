# frozen_string_literal: true

module Spate
  module CLI
    # `spate help [COMMAND]`
    class Help < Command
      autoload :ManPage, "spate/cli/help/man_page"

      summary "Show this text, or a command's"
      usage "spate help [COMMAND]"
      option :man, "--man", "all of it as a manual page"
      common_options
      example "spate help --man | man -l -", "to read; in share/man/man1/spate.1 below the launcher's folder, to keep"

      def run
        return ManPage.new.print(terminal.out) if values[:man]

        name = operands.first or return overview
        name = ALIASES.fetch(name, name)
        return explain(name, operands.drop(1)) if COMMANDS.key?(name)

        PassThrough.new(name, ["--help"], terminal: terminal, env: env).run
      end

      private

      # `help store prune` is in the text of `store`.
      def explain(name, rest)
        command = CLI.const_get(COMMANDS[name])
        odd = rest.find { |word| command.usages.none? { |usage| usage.start_with?("spate #{name} #{word} ") } }
        return HelpText.new(command).print(terminal.out) unless odd || rest.length > 1

        raise UsageError.new("`spate help` takes one command, but got #{(odd || rest.last).inspect} after #{name}",
                             hint: "spate help #{name}")
      end

      def overview
        rows = COMMANDS.map { |name, constant| [name, CLI.const_get(constant).summary] }
        terminal.out.puts "Spate installs a Ruby application's bundle, as fast as the machine allows.", "",
                          "Usage: spate COMMAND [options]", "", "Commands:", *HelpText.rows(rows), "",
                          "add, remove and update let Bundler resolve, then install;",
                          "every other command of Bundler runs it.", "",
                          "`spate COMMAND --help` explains a command."
        0
      end
    end
  end
end
