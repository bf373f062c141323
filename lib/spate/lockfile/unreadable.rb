# frozen_string_literal: true

module Spate
  class Lockfile
    # Builds the error for a line that is invalid in its section.
    class Unreadable
      FORMS = {
        2 => "  name (requirement)",
        4 => "    name (version)",
        6 => "      name (requirement)"
      }.freeze

      # expected: the expected number of leading spaces, or nil if unknown. section: Symbol or nil.
      def initialize(line, expected, section)
        @line = line
        @expected = expected
        @section = section
      end

      def error(path, number)
        ParseError.new(fact, path: path, line: number, hint: hint)
      end

      private

      def fact
        return "is indented with a tab" if @line[/\A\s*/].include?("\t")
        return "is before the first section: #{shown}" if @section.nil?
        return "is indented by #{spaces} spaces: #{shown}" unless allowed.include?(spaces)

        "cannot be read: #{shown}"
      end

      def hint
        form = @section == :checksum ? "  name (version) sha256=digest" : FORMS[@expected]
        return "restore it from version control, or delete it and run `spate lock`" unless form && @section

        "expected #{form.inspect}; restore the line from version control"
      end

      def allowed = @section == :source ? [2, 4, 6] : [2]
      def spaces = @line[/\A */].size
      def shown = (@line.size > 60 ? "#{@line[0, 60]}..." : @line).inspect
    end
  end
end
