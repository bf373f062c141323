# frozen_string_literal: true

require "support/measure"

module Benchmark
  # Goals of the boot benchmark, and the measured results.
  class BootTargets
    # comparison => [required, aim]
    GOALS = {
      "development, heap untouched, CPU" => [0.72, 0.65], "development, heap presized, CPU" => [0.62, 0.56],
      "production, heap untouched, CPU" => [0.90, 0.82], "production, heap presized, CPU" => [0.72, 0.65],
      "cold page cache, development" => [0.66, 0.58],
      "spate exec ruby -e 1 by RubyGems' wrapper, to bundle exec" => [0.40, 0.30],
      "spate exec ruby -e 1 by the launcher, to bundle exec" => [0.25, 0.18],
      "resident memory, heap untouched" => [1.05, 0.95],
      "resident memory after 1,000 requests" => [1.05, nil],
      "building all compile caches, CPU to one plain boot's" => [1.5, nil],
      "first boot with compile caches built, to bootsnap's first" => [0.35, nil]
    }.freeze

    def initialize
      @found = []
    end

    # found: [median, lower quartile, upper quartile] of the ratio.
    def found(goal, app, found)
      GOALS.fetch(goal)
      @found << [goal, app.title, found]
    end

    def table
      table = Table.new("Goals (ratios; bootsnap, warm = 1.00 unless stated otherwise)",
                        ["", "application", "to reach", "aim", "found (quartiles)", ""])
      GOALS.each_key { |goal| rows(table, goal) }
      table
    end

    private

    def rows(table, goal)
      reach, aim = GOALS[goal]
      of_goal = @found.select { |name, *| name == goal }
      return table.row(goal, "", reach, aim, "not run", "") if of_goal.empty?

      of_goal.each do |_, app, (ratio, low, high)|
        check = ratio <= reach ? "reached" : "missed"
        check = "aim reached" if aim && ratio <= aim
        table.row(goal, app, reach, aim, format("%.2f (%.2f-%.2f)", ratio, low, high), check)
      end
    end
  end
end
