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
            Installs the gems of a Gemfile.lock from a store shared by all projects of a machine, and boots programs in the
            bundle from compiled images. Commands that are not listed here are passed to Bundler.
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
            0 on success. Each kind of failure has its own code; see docs/exit\\-codes.md.
            .SH SEE ALSO
            .BR bundle (1),
            .BR gem (1)
          ROFF
        end

        # Escapes text: a line that begins with a dot or quote would be a roff request.
        def text(words) = words.gsub("\\", "\\e").gsub("-", "\\-").gsub(/^[.']/) { |dot| "\\&#{dot}" }
      end
    end
  end
end
