# frozen_string_literal: true

module Spate
  module CLI
    module Output
      module Packages
        # The last line of an install with packages, with gems or without:
        #
        #     155 gems and 1,356 packages in 3.4 s: 14 from the network (9.1 MB), 1,497 from the store
        class Summary < Output::Summary
          # Combines the reports for gems and packages.
          class Both
            # Summed over both reports.
            SUMS = %i[fetched fetched_bytes from_store reused].freeze
            # Only gems have these.
            GEMS = { from_team: 0, team_bytes: 0, from_vendor: 0, from_git: 0, in_folders: 0, built: 0,
                     builds_from_team: 0, build_reused: 0, bound: [], copied: 0, relinked: 0,
                     lockfile_written: false }.freeze

            def initialize(gems, packages)
              @gems = gems
              @packages = packages
              @all = [gems, packages].compact
            end

            SUMS.each { |name| define_method(name) { @all.sum { |report| report.public_send(name) } } }
            GEMS.each { |name, none| define_method(name) { @gems ? @gems.public_send(name) : none } }
            def removed = @all.flat_map(&:removed)
            def noop? = @all.all?(&:noop?)
          end

          # gems: Install::Report, packages: JS::Report; nil where that half did not run, or failed. seconds: of both.
          def initialize(gems: nil, packages: nil, seconds: nil)
            super(Both.new(gems, packages))
            @gems = gems
            @packages = packages
            @seconds = seconds || [gems, packages].compact.map(&:seconds).max
          end

          def line
            return "#{what} in place, nothing to do (#{time})" if @report.noop?

            "#{what} in #{time}#{": " if parts.any?}#{parts.join(", ")}"
          end

          # Events for --json: the gems' summary is the last line, as without packages.
          def events
            packages = { event: :js_done, **@packages.to_h, noop: @packages.noop? } if @packages
            [packages, (Output::Summary.new(@gems).event if @gems)].compact
          end

          private

          def time = Units.seconds(@seconds)

          def what
            gems = @gems&.handed_over ? "gems by Bundler" : (Units.count(@gems.total, "gem") if @gems)
            packages = @packages&.handed_over ? "packages by #{@packages.tool}" : counted
            [gems, packages].compact.join(" and ")
          end

          def counted = (Units.count(@packages.total, "package") if @packages)

          def parts = [*super, *scripts]

          # "scripts of 2 packages run, 1 reused"; "scripts of 1 package reused" where none ran.
          def scripts
            ran, kept = @packages ? [@packages.built, @packages.build_reused] : [0, 0]
            return [] unless ran.positive? || kept.positive?
            return ["scripts of #{Units.count(kept, "package")} reused"] if ran.zero?

            ["scripts of #{Units.count(ran, "package")} run", *number(kept, "reused")]
          end
        end
      end
    end
  end
end
