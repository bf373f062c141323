# frozen_string_literal: true

module Spate
  module CLI
    module Output
      # The last line of an install.
      class Summary
        # report: Spate::Install::Report
        def initialize(report)
          @report = report
        end

        # "212 gems in 6.3 s: 14 from the network (9.1 MB), 198 from the store, 2 extensions built, 7 reused"
        def line
          return "installed by Bundler in #{time}" if @report.handed_over
          return "#{Units.count(@report.total, "gem")} in place, nothing to do (#{time})" if @report.noop?

          "#{Units.count(@report.total, "gem")} in #{time}#{": " if parts.any?}#{parts.join(", ")}"
        end

        # The facts of the line, for --json.
        def event
          { event: :done, **@report.to_h, noop: @report.noop? }
        end

        private

        def time = Units.seconds(@report.seconds)

        def parts
          @parts ||= [network, team, number(@report.from_store, "from the store"),
                      number(@report.from_vendor, "from vendor/cache"), number(@report.from_git, "from git"),
                      number(@report.in_folders, "in #{@report.in_folders == 1 ? "its folder" : "their folders"}"),
                      number(@report.reused, "in place"), extensions,
                      number(@report.removed.length, "removed"), files(@report.copied, "copied"),
                      files(@report.relinked, "relinked"),
                      ("lockfile written" if @report.lockfile_written)].compact
        end

        def network
          number(@report.fetched, "from the network (#{Units.bytes(@report.fetched_bytes)})")
        end

        def team = number(@report.from_team, "from the team's cache (#{team_bytes})")

        # "2 extensions built, 6 from the team's cache, 7 reused"
        def extensions
          stored = @report.build_reused - @report.builds_from_team
          counts = [[@report.built, "built#{bound}"], [@report.builds_from_team, shared], [stored, "reused"]]
          done = counts.select { |count, _| count.positive? }
          words = done.each_with_index.map do |(count, text), index|
            "#{index.zero? ? Units.count(count, "extension") : Units.number(count)} #{text}"
          end
          words.join(", ") if words.any?
        end

        def shared = "from the team's cache#{" (#{team_bytes})" if @report.from_team.zero?}"
        def team_bytes = Units.bytes(@report.team_bytes)

        def bound = (" (for this folder only: #{@report.bound.sort.join(", ")})" if @report.bound.any?)

        def files(count, words) = count.positive? ? "#{Units.count(count, "file")} #{words}" : nil
        def number(count, words) = count.positive? ? "#{Units.number(count)} #{words}" : nil
      end

      # Counts the events of a run, for progress output.
      class Tally
        # total: number of gems in the plan, 0 until the plan is known. in_place: number of gems that were already
        # installed. The other counters increase as gems finish.
        attr_reader :total, :in_place, :fetched, :fetched_bytes, :unpacked, :built, :reused, :linked
        # Name => monotonic time (seconds) at which its build started, oldest first.
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

        # The expected numbers of fetches and builds: from the plan, or the number of those that started if it is
        # larger.
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
