# frozen_string_literal: true

module Spate
  module CLI
    class Command
      # A subcommand, such as `spate boot status`.
      class Subcommand
        # Splits operands into the name of a subcommand and the operands after it. command: "spate boot". Raises
        # UsageError unless `names` includes the name.
        def self.choose(command, operands, names)
          name, *rest = operands
          return [name, rest] if names.include?(name)

          near = name && Util::Suggestion.near(name, names)
          message = name ? "unknown command `#{command} #{name}`" : "expected one of #{names.join(", ")}"
          raise UsageError.new(message, hint: near ? "did you mean `#{command} #{near}`?" : "#{command} --help")
        end

        # operands: the arguments after the subcommand's name.
        def initialize(operands, values:, terminal:, context:)
          @operands = operands
          @values = values
          @terminal = terminal
          @context = context
        end

        private

        attr_reader :operands, :values, :terminal, :context

        def name = self.class.name[/\w+\z/].downcase
        def json? = values[:json]
        def json = @json ||= Util::JsonLines.new(terminal.out)
      end
    end
  end
end
