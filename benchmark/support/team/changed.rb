# frozen_string_literal: true

require "support/team/world"

module Benchmark
  module Team
    # The lockfile has one gem with an extension in a version that the cache does not contain, so only this gem is
    # built.
    class Changed
      NAME = "bcrypt"
      VERSION = "3.1.18"

      def self.archive = "#{NAME}-#{VERSION}"

      def initialize(world, app, rounds:)
        @world = world
        @app = app
        @rounds = rounds
      end

      def table
        machine = @world.machine(@app, "changed", :nginx) { |lockfile| lockfile.sub(/^(    #{NAME}) \(.+\)$/, LINE) }
        runs = Array.new(@rounds) { machine.tap(&:forget).install }
        walls = runs.map { |run| run.sample.wall }
        builds = runs.flat_map(&:builds)
        Table.new("#{@app.name}: #{NAME} in a different version", ["", "wall s", "builds begun"])
             .row("spate, cache in nginx", Figures.spread(walls), builds.tally.to_a.join(" "))
             .note(Goals.words([["its build alone", builds == [NAME] * @rounds]]))
      end

      LINE = "\\1 (#{VERSION})".freeze
      private_constant :LINE
    end
  end
end
