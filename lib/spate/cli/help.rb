# frozen_string_literal: true

module Spate
  module CLI
    # `spate help [COMMAND]`
    class Help < Command
      summary "Show this text, or a command's"
      usage "spate help [COMMAND]"
      common_options

      def run
        name = operands.first or return overview
        name = ALIASES.fetch(name, name)
        return HelpText.new(CLI.const_get(COMMANDS[name])).print(terminal.out) if COMMANDS.key?(name)

        PassThrough.new(name, ["--help"], terminal: terminal, env: env).run
      end

      private

      def overview
        rows = COMMANDS.map { |name, constant| [name, CLI.const_get(constant).summary] }
        terminal.out.puts "Spate installs a Ruby application's bundle, as fast as the machine allows.", "",
                          "Usage: spate COMMAND [options]", "", "Commands:", *HelpText.rows(rows), "",
                          "lock, update, add, remove and outdated run Bundler, then install;",
                          "every other command of Bundler runs it.", "",
                          "`spate COMMAND --help` explains a command."
        0
      end
    end
  end
end
