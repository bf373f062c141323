# frozen_string_literal: true

module Spate
  module Boot
    class Compiler
      # Options under which a child of this Ruby compiles as this process does, as far as Ruby has options for it.
      module RubyOptions
        module_function

        # ["--disable-gems", "--enable=frozen-string-literal"]
        def current
          ["--disable-gems", "--disable=rubyopt", *frozen_string_literal, *parser]
        end

        def frozen_string_literal
          value = RubyVM::InstructionSequence.compile_option[:frozen_string_literal]
          return [] unless [true, false].include?(value)

          ["--#{value ? "enable" : "disable"}=frozen-string-literal"]
        end

        # Where Ruby has two, its name tells which one is at work.
        def parser
          return [] unless RubyVM::InstructionSequence.respond_to?(:compile_prism)

          [RUBY_DESCRIPTION.include?("+PRISM") ? "--parser=prism" : "--parser=parse.y"]
        end
      end
    end
  end
end
