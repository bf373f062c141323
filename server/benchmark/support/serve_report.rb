# frozen_string_literal: true

require "etc"
require_relative "figures"

# Formats rows as Markdown: a table of the goals, then a table for each row.
class ServeReport
  def initialize(rows, title:, runs:, versions:, notes: [])
    @rows = rows
    @title = title
    @runs = runs
    @versions = versions
    @notes = notes
  end

  def to_s
    ["# #{@title}", circumstances, goals, *@rows.map { |row| one(row) }]
      .compact.join("\n\n").concat("\n")
  end

  # Returns a line for each goal: [row, server, measured, goal, "hit" or "MISS"].
  def verdicts
    @verdicts ||= @rows.select(&:goal).flat_map { |row| judge(row) }
  end

  private

  def circumstances
    "#{Time.now.utc.strftime("%Y-%m-%d")}; #{RUBY_DESCRIPTION}; #{machine}; client and server share the processors. " \
      "#{@runs} rounds (at most 3 for uploads and idle connections); median (min–max); ratios are medians of the " \
      "ratios within a round. CPU seconds are user and system time of all of a server's processes. " \
      "#{@versions.compact.map { |name, version| "#{name} #{version}" }.join(", ")}." +
      @notes.map { |note| "\n\n#{note}" }.join
  end

  def machine
    model = File.read("/proc/cpuinfo")[/^model name\s*:\s*(.+)/, 1] || RbConfig::CONFIG["host_cpu"]
    "#{Etc.nprocessors} processors (#{model.strip}), Linux #{Etc.uname[:release][/\A\d+\.\d+/]}"
  end

  def goals
    return if verdicts.empty?

    table(%w[row server measured goal verdict], verdicts)
  end

  def judge(row)
    row.figures.keys.grep(/spate/).flat_map do |name|
      figures = row.figures[name]
      reference = row.figures.fetch(row.reference, { cost: [], rate: [] })
      cost = Figures.ratio(figures[:cost], reference[:cost])
      rate = Figures.ratio(figures[:rate], reference[:rate])
      [absolute(row, name, figures), relative(row, name, cost, row.cost_unit, row.goal.cost_ratio, :<=),
       relative(row, name, rate, "rate", row.goal.rate_ratio, :>=)].compact
    end
  end

  def absolute(row, name, figures)
    wanted = row.goal.cost or return
    value = Figures.median(figures[:cost])
    [row.title, name, "#{Figures.round(value)} #{row.cost_unit}", "≤ #{wanted}#{if row.goal.aim
                                                                                  ", aim at #{row.goal.aim}"
                                                                                end}",
     value <= wanted ? "hit" : "MISS"]
  end

  def relative(row, name, value, what, wanted, comparison)
    return unless wanted
    return [row.title, name, "–", "#{row.reference} was not run", "–"] unless value

    sign = comparison == :<= ? "≤" : "≥"
    [row.title, name, "#{what}: #{Figures.round(value)} × #{row.reference}", "#{sign} #{wanted} ×",
     value.public_send(comparison, wanted) ? "hit" : "MISS"]
  end

  def one(row)
    names = ["server", row.cost_unit, row.rate_unit, row.reference && "#{row.cost_unit} / #{row.reference}'s",
             row.rate_unit && row.reference && "#{row.rate_unit} / #{row.reference}'s"].compact
    lines = row.figures.map { |name, figures| cells(row, name, figures) }
    missing = row.absent.map { |name, reason| "#{name} was not run: #{reason}." }
    ["## #{row.title}", (table(names, lines) if lines.any?), (missing.join("\n") if missing.any?)].compact.join("\n\n")
  end

  def cells(row, name, figures)
    reference = row.figures.fetch(row.reference, { cost: [], rate: [] })
    ratios = %i[cost rate].map do |kind|
      value = Figures.ratio(figures[kind], reference[kind])
      value ? Figures.round(value) : "–"
    end
    [name, Figures.text(figures[:cost]), row.rate_unit && Figures.text(figures[:rate]), row.reference && ratios[0],
     row.rate_unit && row.reference && ratios[1]].compact
  end

  def table(names, lines)
    [names, names.map { "---" }, *lines].map { |cells| "| #{cells.join(" | ")} |" }.join("\n")
  end
end
