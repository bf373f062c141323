# frozen_string_literal: true

module Spate
  module CLI
    module Output
      # Counts of the events of a run, for progress output.
      class Tally
        # total: gems of the plan, 0 until the plan is known. in_place: gems that were already installed. The other
        # counters grow as gems finish.
        attr_reader :total, :in_place, :fetched, :fetched_bytes, :unpacked, :built, :reused, :linked
        # Name => monotonic second at which its build started, oldest first.
        attr_reader :building

        def initialize(clock: Util.method(:now))
          @clock = clock
          @total = @in_place = @fetched = @fetched_bytes = @unpacked = @built = @reused = @linked = 0
          @fetches = @builds = nil
          @to_fetch = @to_build = @queued = 0
          @building = {}
        end

        def add(event)
          case event[:event]
          when :plan then plan(event)
          when :fetch_start then @to_fetch += 1
          when :fetch_done then fetch_done(event)
          when :unpacked then @unpacked += 1
          when :build_queued then @queued += 1
          when :build_start then build_start(event)
          when :build_done then build_done(event)
          when :linked then @linked += 1
          end
        end

        # Numbers of expected fetches and builds: from the plan if it contains them, otherwise those that started.
        def fetches = [@fetches || 0, @to_fetch, @fetched].max
        def builds = [@builds || 0, @queued, @to_build, @built].max

        # [name, seconds] of the build that has been running longest, or nil.
        def longest_build
          name, since = @building.first
          [name, @clock.call - since] if name
        end

        private

        def plan(event)
          @total = event[:total].to_i
          @in_place = event[:in_place].to_i
          @fetches = event[:fetch]
          @builds = event[:build]
        end

        def fetch_done(event)
          @fetched += 1
          @fetched_bytes += event[:bytes].to_i
        end

        def build_start(event)
          @to_build += 1
          @building[event[:name]] = @clock.call
        end

        def build_done(event)
          @building.delete(event[:name])
          event[:cached] ? @reused += 1 : @built += 1
        end
      end
    end
  end
end
