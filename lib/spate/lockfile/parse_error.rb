# frozen_string_literal: true

module Spate
  class Lockfile
    # The lockfile cannot be read. line: 1 for the first, nil where the whole file is meant.
    class ParseError < Error
      EXIT_CODE = 3

      attr_reader :path, :line

      def initialize(fact, path:, line: nil, hint: nil)
        @path = path
        @line = line
        super([path, line, " #{fact}"].compact.join(":"), hint: hint)
      end
    end
  end
end
