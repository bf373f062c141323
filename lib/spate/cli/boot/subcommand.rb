# frozen_string_literal: true

module Spate
  module CLI
    class Boot
      # Common code of the `spate boot` commands.
      class Subcommand
        # operands: the arguments after the command's name.
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
        def images = @images ||= ::Spate::Boot::ImageFolder.new(context.store.root)

        def no_operands!
          return if operands.empty?

          raise UsageError.new("`spate boot #{name}` takes no operands, got #{operands.first.inspect}",
                               hint: "spate boot --help")
        end

        # The application in the current directory, with or without a Gemfile.
        def location
          context.location
        rescue Gemfile::NotFound
          raise if values[:gemfile]

          Gemfile::Location.new(nil, nil, Dir.pwd)
        end
      end
    end
  end
end
