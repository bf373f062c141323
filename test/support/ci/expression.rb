# frozen_string_literal: true

require "strscan"

module CI
  # Evaluates the GitHub expressions that the recipes use: names, strings, ==, !=, !, &&, ||, parentheses and functions
  # with at most one string. Raises an ArgumentError for unknown names, except secrets, which are empty.
  class Expression
    TOKEN = /\s*(?:(?<text>'[^']*')|(?<name>[a-z_]\w*(?:\.[\w-]+)*)|(?<sign>==|!=|&&|\|\||[!()]))/i

    # text: with or without ${{ }}. context: {"github.ref" => "refs/heads/main", "cancelled()" => false}.
    def self.value(text, context) = new(text[/\A\$\{\{(.*)\}\}\z/m, 1] || text, context).value

    # Replaces each ${{ }} in a text.
    def self.expand(text, context) = text.to_s.gsub(/\$\{\{.*?\}\}/m) { |part| value(part, context).to_s }

    def initialize(text, context)
      @tokens = tokens(StringScanner.new(text.strip))
      @context = context
    end

    def value = either.tap { unknown(@tokens.first) if @tokens.any? }

    private

    def tokens(scanner)
      found = []
      found << [%w[text name sign].find { |kind| scanner[kind] }, scanner[0].strip] while scanner.scan(TOKEN)
      scanner.eos? ? found : unknown(scanner.rest)
    end

    def unknown(what) = raise(ArgumentError, "what is #{what.inspect} in an expression?")
    def sign?(sign) = @tokens.first == ["sign", sign] && @tokens.shift

    # Like Ruby's operators, GitHub's return one of their operands. An empty string is false.
    def either
      left = both
      while sign?("||")
        right = both
        left = right unless true?(left)
      end
      left
    end

    def both
      left = compared
      while sign?("&&")
        right = compared
        left = right if true?(left)
      end
      left
    end

    def compared
      left = operand
      return left == operand if sign?("==")
      return left != operand if sign?("!=")

      left
    end

    def operand
      return !true?(operand) if sign?("!")
      return either.tap { sign?(")") || unknown(@tokens.first) } if sign?("(")

      kind, text = @tokens.shift
      case kind
      when "text" then text[1..-2]
      when "name" then named(called(text))
      else unknown(text)
      end
    end

    # The name of a value, or a function's call: "github.ref", "cancelled()", "hashFiles('Gemfile.lock')".
    def called(name)
      return name unless sign?("(")

      argument = @tokens.shift.last if @tokens.first&.first == "text"
      sign?(")") ? "#{name}(#{argument})" : unknown(name)
    end

    def named(name) = @context.fetch(name) { name.start_with?("secrets.") ? "" : unknown(name) }
    def true?(value) = value && value != ""
  end
end
