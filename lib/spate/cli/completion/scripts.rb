# frozen_string_literal: true

module Spate
  module CLI
    class Completion < Command
      # Without a completion of Spate's, they complete file names.
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
    end
  end
end
