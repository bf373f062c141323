# frozen_string_literal: true

# The table of limits in docs/attacks.md: which attacks each option stops, and what the worst of them costs.
class AttackLimits
  HEADINGS = ["option", "default", "attacks it stops", "worst cost"].freeze
  NO_OPTION = "none: an RFC rule or a fixed limit"

  # results: [Assault::Result]
  def initialize(results)
    @results = results
  end

  def table
    rows = Spate::Server::Limits::DEFINITIONS.filter_map do |limit|
      stopped = @results.select { |result| names(result).include?(limit.name) }
      row("`--limit-#{limit.name.to_s.tr("_", "-")}`", default(limit), stopped) unless stopped.empty?
    end
    rest = row(NO_OPTION, "–", @results.select { |result| names(result).empty? })
    [HEADINGS, HEADINGS.map { "---" }, *rows, rest].map { |cells| "| #{cells.join(" | ")} |\n" }.join
  end

  private

  # The names of the limits that stop an attack.
  def names(result) = result.variant.limit.scan(/\w+/).map(&:to_sym) & Spate::Server::Limits::NAMES

  def row(option, default, stopped)
    [option, default, stopped.map { |result| result.variant.title_of_attack }.uniq.join("; "), worst(stopped)]
  end

  def default(limit) = "#{limit.default.to_s.gsub(/(?<=\d)(?=(?:\d{3})+\z)/, ",")} #{unit(limit)}".strip

  def unit(limit) = limit.unit == "N" ? "" : limit.unit.downcase

  def worst(stopped)
    alone = stopped.reject { |result| result.variant.slow }
    return "see [below](#attacks-that-take-time)" if alone.empty?

    format("%<cpu>.2f s, %<tick>d ms, %<memory>.1f MB", cpu: alone.map(&:cpu).max,
                                                        tick: alone.map(&:tick).max * 1000,
                                                        memory: alone.map(&:memory).max / 1_048_576.0)
  end
end
