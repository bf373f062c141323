# frozen_string_literal: true

module Spate
  module CLI
    class Command
      # Prints a command's help from its declaration.
      class HelpText
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

        # Aligned lines; the label precedes the first one.
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
          out.puts "", "#{title}:", *HelpText.rows(rows) unless rows.empty?
        end
      end
    end
  end
end
