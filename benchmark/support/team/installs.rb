# frozen_string_literal: true

require "support/team/world"

module Benchmark
  module Team
    # Installs an application on fresh machines, with an empty HOME and store. Installs that compile everything are slow
    # and vary little, so one round is enough for a large application.
    class Installs
      # title: [text, cache or nil]. verb: method of the machine. most: maximum number of rounds. runs: the Run or
      # Sample of each round.
      Row = Struct.new(:title, :machine, :verb, :most, :runs, :requests) do
        def walls = runs.map { |run| run.sample.wall }
        def builds = runs.map { |run| run.events.is_a?(Array) ? run.builds.size : nil }
        def first = (runs.first.done if runs.first&.events.is_a?(Array)) || {}
      end

      # limit: goal with a cache, in seconds. slow: number of rounds for installs that compile everything.
      def initialize(world, app, rounds:, slow:, limit:)
        @world = world
        @app = app
        @rounds = rounds
        @slow = slow
        @limit = limit
      end

      # Called when the caches are filled.
      def table
        @rounds.times { |round| rows.each { |row| run(row) if round < row.most } }
        Table.new("#{@app.name}: #{App.locked(@app.lockfile).size} gems, a fresh machine", COLUMNS).tap do |table|
          rows.each { |row| table.row(*cells(row)) }
          table.note("rounds, interleaved: #{@rounds}, where all is compiled #{@slow}; median (min-max)")
          table.note(Goals.words(goals))
        end
      end

      COLUMNS = ["", "wall s", "user + sys s", "builds begun", "from the cache", "MB of it",
                 "requests to the cache"].freeze
      CACHES = { nginx: "nginx", serve: "spate-serve" }.freeze
      private_constant :COLUMNS, :CACHES

      private

      def rows
        @rows ||= [row("spate, no cache", machine(nil), @slow), *CACHES.map do |cache, name|
          row("spate, cache in #{name}", machine(cache), @rounds, cache)
        end, row("Bundler #{Peers.bundler}", @world.machine(@app, "bundler"), @slow, verb: :bundler)]
      end

      def row(title, machine, most, cache = nil, verb: :install)
        Row.new([title, cache], machine, verb, most, [], [])
      end

      def machine(cache) = @world.machine(@app, "fresh-#{cache}", cache)

      def run(row)
        cache = row.title.last
        row.machine.forget
        @world.far.requests(cache) if cache
        row.runs << (row.verb == :bundler ? row.machine.bundle("install", "--quiet") : row.machine.install)
        row.requests << @world.far.requests(cache).size if cache
        warn "#{@app.name}, #{row.title.first}: #{row.runs.last.sample.wall.round(2)} s"
      end

      def cells(row)
        done = row.first
        [row.title.first, Figures.spread(row.walls), Figures.spread(row.runs.map { |run| run.sample.cpu }),
         row.builds.compact.uniq.join(", "), *taken(done), row.requests.uniq.join(", ")]
      end

      def taken(done)
        return ["", ""] if done["builds_from_team"].nil?

        ["#{done["from_team"]} archives, #{done["builds_from_team"]} builds", done["team_bytes"].to_i / 1_000_000]
      end

      def goals
        rows.select { |row| row.title.last }.flat_map do |row|
          name = CACHES.fetch(row.title.last)
          [["#{name}: at most #{@limit} s", Figures.median(row.walls) <= @limit],
           ["#{name}: no build began", row.builds.sum.zero?]]
        end
      end
    end
  end
end
