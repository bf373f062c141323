# frozen_string_literal: true

module Spate
  module CLI
    module Output
      # The last line of an install, and what has to be said after it.
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

        # The same as facts, for --json.
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
                      files(@report.relinked, "linked again")].compact
        end

        def network
          number(@report.fetched, "from the network (#{Units.bytes(@report.fetched_bytes)})")
        end

        def team
          number(@report.from_team, "from the team's cache (#{Units.bytes(@report.team_bytes)})")
        end

        # "2 extensions built, 7 reused"; "7 extensions reused" where none was built.
        def extensions
          built = "#{Units.count(@report.built, "extension")} built#{bound}" if @report.built.positive?
          return built unless @report.build_reused.positive?
          return "#{built}, #{@report.build_reused} reused" if built

          "#{Units.count(@report.build_reused, "extension")} reused"
        end

        def bound = (" (for this folder only: #{@report.bound.sort.join(", ")})" if @report.bound.any?)

        def files(count, words) = count.positive? ? "#{Units.count(count, "file")} #{words}" : nil
        def number(count, words) = count.positive? ? "#{Units.number(count)} #{words}" : nil
      end
    end
  end
end
