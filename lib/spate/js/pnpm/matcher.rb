# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # Patterns as hoistPattern has them: `*` stands for anything, `!` excludes what an earlier one included.
      class Matcher
        def initialize(patterns)
          @patterns = patterns.map { |pattern| [pattern.start_with?("!"), expression(pattern.delete_prefix("!"))] }
          @all = patterns == ["*"]
        end

        def empty? = @patterns.empty?

        def match?(name)
          return true if @all

          # Nothing but exclusions: what they leave.
          matched = !empty? && @patterns.all?(&:first)
          @patterns.each do |exclusion, expression|
            matched = !exclusion if matched == exclusion && expression.match?(name)
          end
          matched
        end

        private

        def expression(pattern)
          /\A#{pattern.split("*", -1).map { |part| Regexp.escape(part) }.join(".*")}\z/m
        end
      end
    end
  end
end
