# frozen_string_literal: true

require "rubygems"
require "support/measure"
require "support/team/changed"
require "support/team/costs"
require "support/team/installs"
require "support/team/sending"

module Benchmark
  # Runs the selected cases. Each has one or two tables.
  class TeamBenchmark
    CASES = %w[lobsters many changed costs sending].freeze
    LIMITS = { "lobsters" => 3, "many" => 6 }.freeze
    SMALL = "mrsk"
    EARLIER = "- of an earlier run\n"

    # The sections of a results file that these tables do not replace.
    def self.others(text, tables)
      titles = tables.map { |table| table.to_s.lines.first }
      parts = text.split(/^(?=## )/).drop(1).reject { |part| titles.include?(part.lines.first) }
      parts.map { |part| "#{part.strip.delete_suffix(EARLIER.chomp).strip}\n#{EARLIER}" }
    end

    # result: name of the file to which the tables are written.
    def initialize(cases:, rounds:, result:)
      @cases = cases
      @rounds = rounds
      @result = result
    end

    # The reason why the benchmark cannot run here, or nil.
    def refusal
      Team::Line.refusal || (@cases - CASES).first&.then { |name| "no case is called #{name}: #{CASES.join(", ")}" }
    end

    def run
      collect
      Team::World.open do |world|
        @world = world
        fill
        tables = [line, *@cases.flat_map { |name| told(public_send(name)) }]
        Table.write(@result, tables + TeamBenchmark.others(found, tables))
      end
    end

    def lobsters = installs("lobsters", slow: @rounds)
    def many = installs("many", slow: 1)
    def changed = [Team::Changed.new(@world, app("lobsters"), rounds: @rounds).table]
    def costs = Team::Costs.new(@world, app(SMALL), app("lobsters"), rounds: @rounds).tables
    def sending = Team::Sending.new(@world, fills["lobsters"], fills[SMALL], rounds: @rounds).tables

    private

    # The existing results file, or "".
    def found
      path = File.join(Table::RESULTS, "#{@result}.md")
      File.exist?(path) ? File.read(path) : ""
    end

    # Prints the finished tables, in case a later step fails.
    def told(tables) = tables.each { |table| warn table.to_s }

    def installs(name, **options)
      [Team::Installs.new(@world, app(name), rounds: @rounds, limit: LIMITS.fetch(name), **options).table]
    end

    def app(name) = (@apps ||= {})[name] ||= Team::App.new(name)

    def names = ["lobsters", *("many" if @cases.include?("many")), *(SMALL if (@cases & %w[costs sending]).any?)]

    def collect
      FileUtils.mkdir_p(Team::App::FOLDER)
      names.each { |name| app(name).collect(more: name == "lobsters" ? [Team::Changed.archive] : []) }
      Team::App.mirror
    end

    def fills = @fills ||= names.to_h { |name| [name, Team::Fill.new(@world, app(name))] }

    def fill
      fills.each { |name, fill| fill.call(:nginx, *(:serve if LIMITS.key?(name) && @cases.include?(name))) }
    end

    def line
      Table.new("The line", ["there and back", "25 MB over a new connection"])
           .row(format("%.1f ms", @world.round_trip), format("%.2f s", @world.transfer(25_000_000)))
           .note("two network namespaces, packets held back for 25 ms and sent at 200 Mbit/s; servers and machines " \
                 "share the processors")
    end
  end
end
