# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # A project restored, whatever its lockfile: by Spate, or by the project's own tool.
      class Run
        PLANNERS = { "npm" => :Npm, "pnpm" => :Pnpm }.freeze
        # Plans made until the files that they were made from had been at rest.
        TRIES = 3

        # root: of the lockfile. backlog: what both halves of an install fetch through, or nil.
        def initialize(root:, env:, store:, events:, options:, backlog: nil)
          @root = File.realpath(root)
          @env = env.to_h
          @store = store
          @events = events
          @options = options
          @backlog = backlog
          @started = clock
        rescue SystemCallError => e
          raise Store::Error.for(e, root)
        end

        # Report.
        def call
          return nothing if nothing?

          FolderError.guard(@root) { Lock.hold(@root) { nothing? ? nothing : restore } }
                     .tap { |report| report.seconds = clock - @started }
        end

        # Check::Result. Changes nothing.
        def check = FolderError.guard(@root) { differences }

        private

        def differences
          project = Project.find(@root, @env)
          return Check.of_tool(Tools.in_place?(project, @env, @options)) unless PLANNERS.key?(project.tool)

          plan, = plan(project)
          Check.new(context, plan).call
        rescue LeftToTool
          Check.of_tool(Tools.in_place?(project, @env, @options))
        end

        def configuration(project = Project.find(@root, @env))
          Configuration.of(project, @env).tap(&:check_supported)
        end

        def clock = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        def surroundings = @surroundings ||= Memory::Surroundings.new(@env, @options, @store).to_s

        # Whether all is as the restore before left it.
        def nothing?
          return false if @options.restore || @options.rebuild

          @record = Memory::Record.load(@store, @root)
          !@record.nil? && @record.hold?(surroundings)
        end

        def nothing
          Report.new.tap do |report|
            report.noop = true
            report.root = @root
            report.tool = @record.summary["tool"]
            report.total = report.reused = @record.summary["total"].to_i
            report.seconds = clock - @started
          end
        end

        def restore
          plan = memory.load
          return work(plan) if plan

          project = Project.find(@root, @env)
          return hand_over(project, []) unless PLANNERS.key?(project.tool)

          plan, settled = plan(project)
          memory.save(plan) if settled
          work(plan, settled: settled)
        rescue LeftToTool => e
          hand_over(project, e.reasons)
        end

        def memory = @memory ||= Memory::KeptPlan.new(@store, @root, surroundings)

        def work(plan, settled: true)
          Work.new(context, plan, surroundings: (surroundings if settled)).call
        end

        # [Plan, whether its inputs were at rest]. A file that changes while it is read, or so shortly before that its
        # time cannot tell, is read again.
        def plan(project)
          TRIES.times do
            before = Time.now
            plan = fresh(project)
            return [plan, true] if plan.inputs.all? { |path| at_rest?(path, before) }

            @last = plan
            sleep(Memory::Record::RACY * 1.5)
          end
          [@last, false]
        end

        def fresh(project)
          configuration = configuration(project)
          plan = JS.const_get(PLANNERS.fetch(project.tool)).plan(project, configuration, @options)
          plan.inputs |= configuration.inputs | Memory::Names.archives(plan)
          plan
        end

        def at_rest?(path, before)
          stat = Store::Object.lstat(path)
          stat.nil? || [stat.mtime, stat.ctime].max < before - Memory::Record::RACY
        end

        def context
          Context.new(root: @root, env: @env, store: @store, events: @events, options: @options, backlog: @backlog,
                      configuration: -> { configuration }) do |configuration|
            Registry::Client.new(configuration: configuration, events: @events)
          end
        end

        # The project's own tool does it.
        def hand_over(project, reasons)
          Memory::Record.forget(@store, @root)
          result = Tools.restore(project, env: @env, options: @options, events: @events, reasons: reasons)
          Report.new.tap do |report|
            report.root = @root
            report.tool = result.tool
            report.noop = !result.ran
            report.handed_over = reasons.empty? ? "its lockfile is #{result.tool}'s" : reasons.join("; ")
          end
        end
      end
    end
  end
end
