# frozen_string_literal: true

module Spate
  class Lockfile
    # The lockfile cannot be read.
    class ParseError < Error
      EXIT_CODE = 3

      # @return [String] the path that was passed to {Lockfile.parse}
      attr_reader :path
      # @return [Integer, nil] the line number, starting at 1; nil if the error concerns the whole file
      attr_reader :line

      # @!visibility private
      def initialize(fact, path:, line: nil, hint: nil)
        @path = path
        @line = line
        super([path, line, " #{fact}"].compact.join(":"), hint: hint)
      end
    end
  end
end
