# frozen_string_literal: true

module Spate
  module CLI
    # `spate completion SHELL`: prints a short script that calls `spate completion words` at each TAB, so that
    # completions always match the installed Spate.
    class Completion < Command
      summary "Print the completion script for a shell"
      usage "spate completion bash    eval \"$(spate completion bash)\", in ~/.bashrc"
      usage "spate completion zsh     eval \"$(spate completion zsh)\", in ~/.zshrc, after compinit"
      usage "spate completion fish    spate completion fish | source, in config.fish"
      common_options
      note "Commands, options, and names of gems if a command takes one. No Gemfile is evaluated."

      # Words from a shell are not parsed: the options in them are to be completed.
      def self.run(argv, terminal:, env:)
        return super unless argv.first == "words"

        require_relative "completion/words"
        words = Words.new(argv.drop(2), env: env, terminal: terminal).call
        words.each { |word, meaning| terminal.out.puts [word, meaning].join("\t") }
        0
      end

      def run
        require_relative "completion/scripts"
        name, *rest = operands
        script = SCRIPTS[name] if rest.empty?
        raise unknown(name) unless script

        terminal.out.puts script
        0
      end

      private

      def unknown(name)
        UsageError.new("`spate completion` takes one of #{SCRIPTS.keys.join(", ")}#{", not #{name.inspect}" if name}",
                       hint: "spate completion --help")
      end
    end
  end
end
