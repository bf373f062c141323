# frozen_string_literal: true

module Spate
  module CLI
    # Formats quantities for display.
    module Units
      # 9_123_456 -> "9.1 MB". Units are powers of ten.
      def self.bytes(count)
        return "#{count} B" if count < 1000

        value = count.to_f
        unit = %w[kB MB GB TB].find do
          value /= 1000
          value < 999.95
        end
        format("%<value>.1f %<unit>s", value: value, unit: unit || "TB")
      end

      # 6.28 -> "6.3 s", 0.0213 -> "0.02 s", 194 -> "3:14 min"
      def self.seconds(seconds)
        return format("%.2f s", seconds) if seconds < 1
        return format("%.1f s", seconds) if seconds < 100

        "#{clock(seconds)} min"
      end

      # 14.9 -> "0:14"
      def self.clock(seconds)
        format("%<minutes>d:%<seconds>02d", minutes: seconds.to_i / 60, seconds: seconds.to_i % 60)
      end

      # 1356 -> "1,356"
      def self.number(number) = number < 1000 ? number.to_s : number.to_s.gsub(/(?<=\d)(?=(?:\d{3})+\z)/, ",")

      # 2, "gem" -> "2 gems"
      def self.count(number, noun) = "#{number(number)} #{noun}#{"s" unless number == 1}"
    end
  end
end
