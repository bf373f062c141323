# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Bins
        # A shell script that runs a package's executable with the interpreter of its shebang line, so that the file
        # needs no x bit, and sets NODE_PATH to the hoisted packages. It may be called through a symbolic link. The
        # commands it uses itself are not looked up in PATH, where the project's own executables come first.
        class Shim
          HEAD = <<~'SH'
            #!/bin/sh
            self=$0
            case $self in */*) ;; *) self=./$self ;; esac
            hops=0
            while [ -L "$self" ] && [ $hops -lt 40 ]; do
              hops=$((hops + 1))
              link=$(command -p readlink "$self") || exit
              case $link in /*) self=$link ;; *) self=${self%/*}/$link ;; esac
            done
            here=$(CDPATH= cd -P -- "${self%/*}" && pwd -P) || exit
          SH
          # pnpm reads this line.
          MARK = "# cmd-shim-target="
          BY_EXTENSION = { ".js" => ["node"], ".cjs" => ["node"], ".mjs" => ["node"], ".cmd" => %w[cmd /C],
                           ".bat" => %w[cmd /C], ".ps1" => ["pwsh"], ".sh" => ["sh"] }.freeze

          # target: relative to the shim's folder. shebang: the target's first line, or nil. node_paths: relative to the
          # shim's folder.
          def initialize(target, shebang, node_paths)
            @target = target
            @shebang = shebang
            @node_paths = node_paths
          end

          def text = [HEAD, node_path, run, MARK, @target, "\n"].join

          private

          def node_path
            return if @node_paths.empty?

            "NODE_PATH=#{@node_paths.map { |path| here(path) }.join(":")}${NODE_PATH:+:$NODE_PATH}\nexport NODE_PATH\n"
          end

          def run
            program, *arguments = interpreter
            rest = [*arguments.map { |word| quoted(word) }, here(@target), "\"$@\""].join(" ")
            return "exec #{rest}\n" unless program
            return "exec #{quoted(program)} #{rest}\n" if program.include?("/")

            "[ -x #{here(program)} ] && exec #{here(program)} #{rest}\nexec #{quoted(program)} #{rest}\n"
          end

          # [program, arguments...]; empty if the file itself is executed.
          def interpreter
            words = @shebang.to_s.delete_prefix("#!").split
            words.shift if words.first == "/usr/bin/env"
            words.shift if words.first == "-S"
            words.empty? ? BY_EXTENSION.fetch(File.extname(@target), []) : words
          end

          def here(path) = "\"$here\"/#{quoted(path)}"
          def quoted(word) = word.match?(%r{\A[A-Za-z0-9_@%+=:,./-]+\z}) ? word : "'#{word.gsub("'", "'\\\\''")}'"
        end
      end
    end
  end
end
