# frozen_string_literal: true

module Spate
  class Lockfile
    # The lockfile cannot be read. line: starting at 1, nil for the whole file.
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
