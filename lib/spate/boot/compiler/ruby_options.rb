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

        # Which parser is Ruby's own choice is in its name: only the other one is asked for.
        def parser
          return [] if RUBY_VERSION < "3.3"

          prism = RUBY_DESCRIPTION.include?("+PRISM")
          return [] if prism == (RUBY_VERSION >= "3.4")

          [prism ? "--parser=prism" : "--parser=parse.y"]
        end
      end
    end
  end
end
