# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      # `spate install --js`: installs gems and node_modules from one store, with one progress line and one summary.
      class WithPackages
        # The error that prevents restoring node_modules, or nil.
        attr_reader :missing

        # json: receives events; nil for human-readable output.
        def initialize(context, values, terminal, json: nil)
          @context = context
          @values = values
          @terminal = terminal
          @json = json
          @project = project
          @events = Events.new
          @timeline = Timeline.of(values, @events) if values[:timeline]
          @listener = json || (Output::Packages.listener(terminal) unless terminal.quiet?)
          @events.subscribe { |event| @listener.call(event) } if @listener
        end

        # Yields the events and the backlog, which gems and packages share. The block installs the gems and returns
        # their report.
        def run
          backlog
          started = Util.now
          @halves = Halves.new.run(gems: -> { yield @events, backlog }, packages: -> { packages.run })
          @seconds = Util.now - started
          self
        ensure
          @listener&.finish
        end

        # Install::Report; nil if the gems failed.
        def gems = @halves.gems
        def failures = @halves.failures
        def noop? = [gems, @halves.packages].all? { |report| report&.noop? }
        # The project's folder.
        def root = @project.root

        def print_report
          return unless @halves.gems || @halves.packages

          summary = Output::Packages::Summary.new(gems: @halves.gems, packages: @halves.packages, seconds: @seconds)
          @timeline&.finish(%w[spate install --js], summary.line, @terminal, json: @json)
          return summary.events.each { |event| @json.call(event) } if @json

          Output::Packages::Notices.print(@halves.packages, @terminal)
          @terminal.info(summary.line)
        end

        # The exit code of the half that failed first.
        def report_failures
          codes = @halves.failures.map do |failed|
            Util::Failure.new(failed.error, argv: ["install", "--js", *("--json" if @json)], terminal: @terminal,
                                            half: failed.half).report
          end
          codes.first || 0
        end

        private

        def project
          JS::Half.project(@context.location.root, @context.env)
        rescue Error => e
          forget = "to install only gems: spate install --no-js" if e.is_a?(JS::NoProject) && !@values[:js]
          @missing = forget ? UsageError.new(e.message, hint: forget) : e
          nil
        end

        def packages
          raise @missing if @missing

          copy = @values.fetch(:copy) { remembered_copy }
          values = { **@values.slice(:jobs, :local), copy: copy }
          JS::Half.new(@project, @context, values: values, events: @events, backlog: backlog)
        end

        # Applies a remembered --copy only to lockfiles that Spate supports. For other tools, which ignore the option,
        # every run would warn about it.
        def remembered_copy
          known = ::Spate::JS::Restore::Run::PLANNERS.key?(@project.tool)
          true if known && @context.settings.bool("spate.copy")
        end

        def jobs = (@values[:jobs] || @context.settings[:jobs])&.to_i&.clamp(1..)
        def backlog = @backlog ||= ::Spate::Install::Fetch::Backlog.new(unpacking: jobs)
      end
    end
  end
end
