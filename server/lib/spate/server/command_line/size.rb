# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      # Bytes as they are written in options: "65536", "64K", "20G".
      module Size
        UNITS = { nil => 0, "K" => 10, "M" => 20, "G" => 30, "T" => 40 }.freeze

        # nil where the text is no number.
        def self.of(text)
          digits, unit = text.match(/\A(\d+)([KMGT])?\z/)&.captures
          digits && (Integer(digits, 10) << UNITS.fetch(unit))
        end
      end
    end
  end
end
