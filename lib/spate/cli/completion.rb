# frozen_string_literal: true

module Spate
  module CLI
    # `spate completion SHELL`: prints a short script that calls `spate completion words` for each completion, so that
    # completions always match the installed Spate.
    class Completion < Command
      summary "Print the completion script for a shell"
      usage "spate completion bash    eval \"$(spate completion bash)\", in ~/.bashrc"
      usage "spate completion zsh     eval \"$(spate completion zsh)\", in ~/.zshrc, after compinit"
      usage "spate completion fish    spate completion fish | source, in config.fish"
      common_options
      note "Commands, options, and names of gems if a command takes one. No Gemfile is evaluated."

      # The scripts complete file names if Spate has no completions.
      SCRIPTS = {
        "bash" => <<~'BASH',
          _spate() {
            local line
            COMPREPLY=()
            while IFS= read -r line; do
              COMPREPLY+=("${line%%$'\t'*}")
            done < <(command spate completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
          }
          complete -o default -F _spate spate
        BASH
        "zsh" => <<~'ZSH',
          #compdef spate
          _spate() {
            local line word
            local -a found
            while IFS= read -r line; do
              word=${line%%$'\t'*}
              found+=("${word//:/\\:}:${line#*$'\t'}")
            done < <(command spate completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)
            if (( $#found )); then _describe spate found; else _files; fi
          }
          if [[ ${funcstack[1]} == _spate ]]; then _spate "$@"; else compdef _spate spate; fi
        ZSH
        "fish" => <<~'FISH'
          function __spate_words
            set -l current (commandline -ct)
            set -l words (commandline -opc) "$current"
            set -l found (command spate completion words -- $words[2..-1] 2>/dev/null)
            if count $found >/dev/null
              printf '%s\n' $found
            else
              __fish_complete_path "$current"
            end
          end
          complete -c spate -f -k -a '(__spate_words)'
        FISH
      }.freeze

      # Does not parse the words to complete, because the options among them do not apply to this command.
      def self.run(argv, terminal:, env:)
        return super unless argv.first == "words"

        require_relative "completion/words"
        words = Words.new(argv.drop(2), env: env, terminal: terminal).call
        words.each { |word, meaning| terminal.out.puts [word, meaning].join("\t") }
        0
      end

      def run
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
