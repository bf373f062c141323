# frozen_string_literal: true

require "support/team/world"

module Benchmark
  module Team
    # Measures the cost of a useless cache: it refuses connections, never responds, or is not needed.
    class Costs
      # The number of installs per round. A single one is too short for a precise result.
      TIMES = 3
      LIMITS = { refusing: 0.1, silent: 0.3 }.freeze

      # app: a small application with builds. full: an application whose gems are all in the store.
      def initialize(world, app, full, rounds:)
        @world = world
        @app = app
        @full = full
        @rounds = rounds
      end

      def tables = [useless, unasked]

      private

      def useless
        walls = interleaved
        table = Table.new("#{@app.name}: a cache that is of no use, a fresh machine", COLUMNS)
        walls.each do |name, times|
          table.row(NAMES.fetch(name), Figures.spread(times), format("%+.3f", more(walls, name)))
        end
        table.note("#{@rounds * TIMES} rounds, interleaved; median (min-max); more: of each round")
        table.note(Goals.words(LIMITS.map do |name, limit|
          ["#{NAMES.fetch(name)}: at most #{limit} s more", more(walls, name) <= limit]
        end))
      end

      COLUMNS = ["", "wall s", "more than without"].freeze
      NAMES = { none: "no cache", refusing: "connection refused", silent: "no response" }.freeze
      private_constant :COLUMNS, :NAMES

      def interleaved
        machines = { none: @world.machine(@app, "cost-none"),
                     refusing: @world.machine(@app, "cost-refusing", :refusing),
                     silent: @world.machine(@app, "cost-silent", :nginx, host: Line::NOBODY) }
        walls = machines.transform_values { [] }
        (@rounds * TIMES).times do
          machines.each { |name, machine| walls[name] << wall(machine, asked: name != :none) }
        end
        walls
      end

      def wall(machine, asked:)
        machine.forget
        run = machine.install
        told = run.warnings.grep(/is asked no more/).size
        raise "#{told} lines about the cache, expected #{asked ? 1 : 0}" unless told == (asked ? 1 : 0)

        run.sample.wall
      end

      def more(walls, name)
        Figures.median(walls[name].zip(walls[:none]).map { |time, without| time - without })
      end

      def unasked
        machine = @world.machine(@full, "full", :nginx)
        machine.forget
        machine.install
        table = Table.new("#{@full.name}: nothing is lacking", ["", "wall s", "requests to the cache"])
        counts = { "all in place" => -> {}, "all in the store" => -> { machine.forget_bundle } }.map do |title, before|
          requests = count(machine, table, title, before)
          ["#{title}: 0 requests", requests.zero?]
        end
        table.note(Goals.words(counts))
      end

      def count(machine, table, title, before)
        @world.far.requests(:nginx)
        walls = Array.new(@rounds) do
          before.call
          machine.install.sample.wall
        end
        requests = @world.far.requests(:nginx).size
        table.row(title, Figures.spread(walls), requests)
        requests
      end
    end
  end
end
