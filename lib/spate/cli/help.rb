# frozen_string_literal: true

module Spate
  module CLI
    # Prints the list of commands, the help of one command, or all of it as a manual page.
    class Help < Command
      summary "Print this help, or the help of a command"
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

      # Prints the help of a command. `help store prune` prints the help of `store`.
      def explain(name, rest)
        command = CLI.const_get(COMMANDS[name])
        odd = rest.find { |word| command.usages.none? { |usage| usage.start_with?("spate #{name} #{word} ") } }
        return Text.new(command).print(terminal.out) unless odd || rest.length > 1

        raise UsageError.new("`spate help` takes one command, got #{(odd || rest.last).inspect} after #{name}",
                             hint: "spate help #{name}")
      end

      def overview
        rows = COMMANDS.map { |name, constant| [name, CLI.const_get(constant).summary] }
        terminal.out.puts "Spate installs a Ruby application's bundle, and boots its programs fast.", "",
                          "Usage: spate COMMAND [options]", "", "Commands:", *Text.rows(rows), "",
                          "All other commands of Bundler are passed to Bundler.", "",
                          "`spate COMMAND --help` explains a command."
        0
      end

      # The manual page spate(1) in roff, generated from the help of the commands.
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
            bundle from compile caches. Commands that are not listed here are passed to Bundler.
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

        # Escapes text for roff. A line that begins with a dot or quote would be a request.
        def text(words) = words.gsub("\\", "\\e").gsub("-", "\\-").gsub(/^[.']/) { |dot| "\\&#{dot}" }
      end

      # Prints the help of a command from its declarations.
      class Text
        COLUMN = 26

        def initialize(command)
          @command = command
        end

        def print(out)
          out.puts @command.summary, ""
          out.puts(*labelled("Usage: ", @command.usages))
          section(out, "Options", @command.options.map { |option| [option.usage, option.description] })
          section(out, "Examples", @command.examples)
          @command.notes.each { |note| out.puts "", note }
          0
        end

        # Aligns the right column.
        def self.rows(rows)
          rows.map do |left, right|
            left.length < COLUMN ? "  #{left.ljust(COLUMN)}#{right}" : "  #{left}\n  #{" " * COLUMN}#{right}"
          end
        end

        private

        def labelled(label, lines)
          lines.each_with_index.map { |line, index| (index.zero? ? label : " " * label.length) + line }
        end

        def section(out, title, rows)
          out.puts "", "#{title}:", *Text.rows(rows) unless rows.empty?
        end
      end
    end
  end
end
