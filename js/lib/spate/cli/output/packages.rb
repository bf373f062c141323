# frozen_string_literal: true

module Spate
  module CLI
    module Output
      # Output for restoring JavaScript packages, alone or together with gems. Not loaded when only gems are installed.
      module Packages
        # Shows the progress of gems and packages in one line:
        #
        #     ⠼ gems 131/155 · packages 820/1356 · built 3/9 (nokogiri 0:14)
        #
        # A gem is counted when it is in the bundle, a package when it is in the store, because linking all packages
        # takes only the last tenth of a second.
        class ProgressLine < Output::ProgressLine
          def parts
            [count("gems", @tally.in_place + @tally.linked, @tally.total),
             count("packages", [@tally.stored, @tally.placed, @tally.packages].sort[1], @tally.packages),
             tool, builds].compact
          end

          private

          # "packages by yarn 0:14"
          def tool
            name, seconds = @tally.tool
            "packages by #{name} #{Units.clock(seconds)}" if name
          end

          def initial_text = "reading lockfiles"

          def say(event)
            return super unless event[:event] == :js_tool_start

            clear
            @terminal.info(PlainLog.tool(event))
          end
        end

        # The log of an install of gems, extended by the events of packages.
        class PlainLog < Output::PlainLog
          # "running `yarn install --immutable`", "running `npm ci`: a dependency from git"
          def self.tool(event)
            reasons = event[:reasons].join("; ")
            text = reasons.empty? ? "running `#{event[:command]}`" : "running `#{event[:command]}`: #{reasons}"
            Util::Terminal.plain(text)
          end

          private

          def line(event)
            case event[:event]
            when :js_tool_start then PlainLog.tool(event)
            when :js_script_done
              "ran the scripts of #{event[:name]} in #{Units.seconds(event[:seconds].to_f)}" unless event[:cached]
            else super
            end
          end

          def detail(event)
            case event[:event]
            when :js_fetch_done then "fetched #{event[:name]} (#{Units.bytes(event[:bytes].to_i)})"
            when :js_unpacked then "unpacked #{event[:name]} (#{Units.count(event[:files].to_i, "file")})"
            when :js_linked then "linked #{event[:name]}"
            when :js_script_start then "running the scripts of #{event[:name]}"
            else super
            end
          end

          def progress_parts = ProgressLine.new(@terminal, tally: @tally).parts
        end

        # Shows a progress line on a terminal, otherwise one line for each event.
        def self.listener(terminal)
          (terminal.live? && !terminal.verbose? ? ProgressLine : PlainLog).new(terminal, tally: Tally.new)
        end

        # Totals over the events of gems and packages. Builds of gems and scripts of packages are counted together.
        class Tally < Output::Tally
          # packages: number in the plan, 0 until it is known. stored: how many of them are in the store so far.
          attr_reader :packages, :stored, :placed, :package_bytes

          def initialize(**)
            super
            @packages = @stored = @placed = @package_bytes = 0
          end

          def add(event)
            case event[:event]
            when :js_plan then js_plan(event)
            when :js_fetch_done then @package_bytes += event[:bytes].to_i
            when :js_unpacked then @stored += 1
            when :js_linked then @placed += 1
            when :js_tool_start then @tool = [event[:tool], @clock.call]
            when :js_tool_done then @tool = nil
            when :js_script_start then build_start(event)
            when :js_script_done then build_done(event)
            else super
            end
          end

          # [name, seconds] of the project's own tool while it runs, or nil.
          def tool
            name, since = @tool
            [name, @clock.call - since] if name
          end

          private

          def js_plan(event)
            @packages = event[:total].to_i
            @stored += [@packages - event[:fetch].to_i, 0].max if event[:fetch]
          end
        end

        # The last line of an install with packages, with gems or without:
        #
        #     155 gems and 1,356 packages in 3.4 s: 14 from the network (9.1 MB), 1,497 from the store
        class Summary < Output::Summary
          # Combines the reports for gems and packages.
          class Both
            # Fields that are summed over both reports.
            SUMS = %i[fetched fetched_bytes from_store reused].freeze
            # Fields that only gems have.
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

          # gems: Install::Report, packages: JS::Report; nil if that half did not run or failed. seconds: duration of
          # both.
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

          # Events for --json. The gems' summary is the last line, as in an install without packages.
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

          # "scripts of 2 packages run, 1 reused"; "scripts of 1 package reused" if none ran.
          def scripts
            ran, kept = @packages ? [@packages.built, @packages.build_reused] : [0, 0]
            return [] unless ran.positive? || kept.positive?
            return ["scripts of #{Units.count(kept, "package")} reused"] if ran.zero?

            ["scripts of #{Units.count(ran, "package")} run", *number(kept, "reused")]
          end
        end

        # Reports what a restore skipped, before its summary: optional packages that could not be installed, and scripts
        # that are not allowed to run.
        module Notices
          # The maximum number of names listed.
          NAMED = 5

          module_function

          # report: JS::Report; nil if the restore failed.
          def print(report, terminal)
            return if report.nil? || report.noop?

            report.skipped.each { |key, why| terminal.warning("skipped #{name(key)}, which is optional: #{why}") }
            unlisted = report.pending - report.warned_of
            pending(unlisted, terminal) if unlisted.any?
          end

          def pending(keys, terminal)
            named = keys.first(NAMED).map { |key| name(key) }
            named << "#{Units.number(keys.length - NAMED)} more" if keys.length > NAMED
            whose = Units.count(keys.length, "package")
            terminal.warning("scripts of #{whose} are not allowed to run: #{named.join(", ")}",
                             hint: "spate js scripts")
          end

          # The package's name. npm's keys are paths.
          def name(key) = key.sub(%r{\A.*node_modules/}, "")
          private_class_method :pending, :name
        end
      end
    end
  end
end
