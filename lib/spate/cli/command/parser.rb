# frozen_string_literal: true

module Spate
  module CLI
    class Command
      # One option of a command, declared once for the parser and the help.
      #
      # key          the key of the value, e.g. :jobs
      # names        e.g. ["-j", "--jobs"]
      # argument     e.g. "N"; nil for a switch
      # kind         :switch, :string, :integer, :count (at least 1) or :list (words up to the next option, also
      #              split at ":" and ",")
      # description  one line
      Option = Struct.new(:key, :names, :argument, :kind, :description, keyword_init: true) do
        # Expands "--[no-]color" to both spellings.
        def spellings
          names.flat_map { |name| name.start_with?("--[no-]") ? ["--#{name[7..]}", "--no-#{name[7..]}"] : [name] }
        end

        def switch? = kind == :switch

        # "-j, --jobs N"
        def usage = [names.join(", "), argument].compact.join(" ")
      end

      # Splits argv into option values and operands. Supports `--name value`, `--name=value`, `-n value`, `-nvalue`,
      # `--[no-]switch`, and `--` before operands that begin with a dash. Kept small, because every command loads it.
      class Parser
        # help: the default hint. The block returns a hint, or nil, for an unknown option.
        def initialize(options, help: nil, &elsewhere)
          @options = {}
          @help = help
          @elsewhere = elsewhere
          options.each { |option| option.spellings.each { |spelling| @options[spelling] = option } }
        end

        # Returns [values, operands]; raises UsageError.
        def parse(argv)
          @rest = argv.dup
          values = {}
          operands = []
          while (word = @rest.shift)
            break operands.concat(@rest) if word == "--"

            word.start_with?("-") && word != "-" ? read(word, values) : operands << word
          end
          [values, operands]
        end

        private

        def read(word, values)
          name, attached = split(word)
          option = @options[name] or raise unknown(name)
          if option.switch?
            raise UsageError.new("#{name} takes no value, got #{attached.inspect}", hint: name) if attached

            values[option.key] = !name.start_with?("--no-") || !option.names.first.start_with?("--[no-]")
          else
            store(values, option, name, attached)
          end
        end

        def split(word)
          return word.split("=", 2) if word.start_with?("--")
          return [word, nil] if word.length == 2

          [word[0, 2], word[2..].delete_prefix("=")]
        end

        def store(values, option, name, attached)
          case option.kind
          when :list then values[option.key] = [*values[option.key], *words(name, attached, option)]
          when :integer, :count then values[option.key] = integer(name, attached || operand(name, option), option)
          else values[option.key] = attached || operand(name, option)
          end
        end

        def operand(name, option)
          value = @rest.first
          return @rest.shift if value && (value == "-" || !value.start_with?("-"))

          raise UsageError.new("#{name} needs a value", hint: "#{name} #{option.argument}")
        end

        def words(name, attached, option)
          found = attached ? [attached] : @rest.take_while { |word| !word.start_with?("-") }
          @rest.shift(found.length) unless attached
          raise UsageError.new("#{name} needs at least one name", hint: "#{name} #{option.argument}") if found.empty?

          found.flat_map { |word| word.split(/[:,]/) }
        end

        def integer(name, text, option)
          least = option.kind == :count ? 1 : 0
          return text.to_i if text.match?(/\A\d{1,9}\z/) && text.to_i >= least

          raise UsageError.new("#{name} expects a whole number#{" of at least 1" if least == 1}, got #{text.inspect}",
                               hint: "#{name} #{option.argument}")
        end

        def unknown(name)
          hint = @elsewhere&.call(name)
          near = Util::Suggestion.near(name, @options.keys) unless hint
          UsageError.new("unknown option #{name}", hint: near ? "did you mean #{near}?" : hint || @help)
        end
      end
    end
  end
end
