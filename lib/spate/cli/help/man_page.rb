# frozen_string_literal: true

module Spate
  module CLI
    class Help < Command
      # spate(1) in roff, from the commands' own help.
      class ManPage
        def print(out)
          out.puts head, *COMMANDS.map { |name, constant| command(name, CLI.const_get(constant)) }, tail
          0
        end

        private

        def head
          <<~ROFF
            .TH SPATE 1 "" "spate #{VERSION}" "Spate"
            .SH NAME
            spate \\- from a Gemfile.lock to a booted process
            .SH SYNOPSIS
            .B spate
            .I COMMAND
            [options]
            .SH DESCRIPTION
            Installs what a Gemfile.lock names out of a store that all projects of a machine share, and boots programs in the
            bundle from what was compiled before. Commands that are not named here are Bundler's, and run it.
            .SH COMMANDS
          ROFF
        end

        def command(name, command)
          [".SS spate #{text(name)}", text("#{command.summary}."),
           *pairs(command.usages.map { |usage| usage.split(/ {2,}/, 2) }),
           *pairs(command.options.map { |option| [option.usage, option.description] }),
           *pairs(command.examples),
           *command.notes.flat_map { |note| [".PP", text(note)] }].join("\n")
        end

        def pairs(rows)
          rows.flat_map { |term, meaning| [".TP", ".B #{text(term)}", text(meaning || "")].reject(&:empty?) }
        end

        def tail
          <<~ROFF
            .SH EXIT STATUS
            0 where all is done; each kind of failure has a code of its own, which docs/exit\\-codes.md lists.
            .SH SEE ALSO
            .BR bundle (1),
            .BR gem (1)
          ROFF
        end

        # A line that begins with a dot or quote would be a request.
        def text(words) = words.gsub("\\", "\\e").gsub("-", "\\-").gsub(/^[.']/) { |dot| "\\&#{dot}" }
      end
    end
  end
end
