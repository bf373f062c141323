# frozen_string_literal: true

# Statistics over the values of several runs.
class Figures
  def self.median(values)
    sorted = values.sort
    middle = sorted.size / 2
    sorted.size.odd? ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0
  end

  # "median (min–max)", with `digits` significant digits.
  def self.text(values, digits = 3)
    return "–" if values.empty?

    middle, least, most = [median(values), *values.minmax].map { |value| round(value, digits) }
    values.size == 1 ? middle : "#{middle} (#{least}–#{most})"
  end

  def self.round(value, digits = 3)
    return "0" if value.zero?

    places = [digits - 1 - Math.log10(value.abs).floor, 0].max
    format("%.#{places}f", value)
  end

  # The median of the ratios of values from the same round.
  def self.ratio(values, others)
    pairs = values.zip(others).reject { |pair| pair.any?(&:nil?) || pair.last.zero? }
    pairs.empty? ? nil : median(pairs.map { |value, other| value / other })
  end
end
