# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # Patterns as hoistPattern has them: `*` matches anything, `!` excludes what an earlier one included.
      class Matcher
        def initialize(patterns)
          @patterns = patterns.map { |pattern| [pattern.start_with?("!"), pattern.delete_prefix("!").split("*", -1)] }
          @all = patterns == ["*"]
        end

        def empty? = @patterns.empty?

        def match?(name)
          return true if @all

          # Nothing but exclusions: what they leave.
          matched = !empty? && @patterns.all?(&:first)
          @patterns.each do |exclusion, parts|
            matched = !exclusion if matched == exclusion && fits?(parts, name)
          end
          matched
        end

        private

        # parts: the text between the asterisks. Each is matched at the earliest position, without backtracking.
        def fits?(parts, name)
          first, *between, last = parts
          return name == first.to_s unless last
          return false unless name.start_with?(first) && name.end_with?(last)

          at = between.reduce(first.size) { |from, part| (name.index(part, from) || (return false)) + part.size }
          at + last.size <= name.size
        end
      end
    end
  end
end
