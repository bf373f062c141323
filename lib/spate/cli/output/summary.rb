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

        # "2 extensions built, 6 from the team's cache, 7 reused"; the first count has the noun.
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
    end
  end
end
