# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # Selects the lines of a failed script's log to show: first the errors of compilers and other tools, then the end.
      class Diagnosis
        FIRST = 6
        LAST = 12
        # Lines that node-gyp prints for any error.
        NOISE = /\A(?:gyp (?:ERR!|info|verb)|npm (?:err|notice|warn))/i

        def initialize(text)
          @lines = ::Spate::Build::Failure::Log.new(text).text.lines(chomp: true)
                                               .reject { |line| line.strip.empty? }
        end

        # [String]
        def details
          matter = @lines.grep(::Spate::Build::Failure::MATTER).grep_v(NOISE).first(FIRST)
          last = end_of(@lines.grep_v(NOISE))
          ((matter - last) + last).map { |line| line.rstrip[0, 300] }
        end

        # The system's package that is missing, or nil.
        def hint = ::Spate::Build::Failure::Packages.find(@lines.join("\n"))&.hint

        private

        def end_of(lines) = (lines.empty? ? @lines : lines).last(LAST)
      end
    end
  end
end
