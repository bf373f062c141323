# frozen_string_literal: true

module Spate
  module Boot
    module Background
      # Options for a Ruby that builds compile caches, so that it compiles like this one as far as options allow.
      module RubyOptions
        module_function

        # ["--disable-gems", "--enable=frozen-string-literal"]
        def current
          ["--disable-gems", "--disable=rubyopt", *frozen_string_literal, *parser]
        end

        # Folders of Spate and of its extension, which may be missing on this process's $LOAD_PATH.
        def load_path
          extension = $LOADED_FEATURES.find { |path| path.match?(%r{/spate/native/boot\.\w+\z}) }
          [LIBRARY, extension && File.expand_path("../../..", extension)].compact.uniq
        end

        def frozen_string_literal
          value = RubyVM::InstructionSequence.compile_option[:frozen_string_literal]
          return [] unless [true, false].include?(value)

          ["--#{value ? "enable" : "disable"}=frozen-string-literal"]
        end

        # A Ruby with two parsers names the active one in its description.
        def parser
          return [] unless RubyVM::InstructionSequence.respond_to?(:compile_prism)

          [RUBY_DESCRIPTION.include?("+PRISM") ? "--parser=prism" : "--parser=parse.y"]
        end
        private_class_method :frozen_string_literal, :parser
      end
    end
  end
end
