# frozen_string_literal: true

module Spate
  module CLI
    # `spate completion SHELL`: the few lines that a shell needs. At each TAB they ask `spate completion words` what
    # could stand there, so that what is completed is what the Spate that is installed understands.
    class Completion < Command
      summary "Let a shell complete Spate's commands"
      usage "spate completion bash    eval \"$(spate completion bash)\", in ~/.bashrc"
      usage "spate completion zsh     eval \"$(spate completion zsh)\", in ~/.zshrc, after compinit"
      usage "spate completion fish    spate completion fish | source, in config.fish"
      common_options
      note "Commands, options, and names of gems where a command takes one. No Gemfile is evaluated for it."

      # What a shell asks is no command line of ours: options in it are to be completed.
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
