# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Restores a project with any lockfile: Spate does it, or the project's own tool.
      class Run
        PLANNERS = { "npm" => :Npm, "pnpm" => :Pnpm }.freeze
        # Number of attempts to make a plan without an input changing meanwhile, and seconds between attempts.
        TRIES = 3
        PAUSE = 0.03

        # root: folder of the lockfile. backlog: the work queue that gems and packages share in one install, or nil.
        def initialize(root:, env:, store:, events:, options:, backlog: nil)
          @root = File.realpath(root)
          @env = env.to_h
          @store = store
          @events = events
          @options = options
          @backlog = backlog
          @started = Util.now
        rescue SystemCallError => e
          raise Store::Error.for(e, root)
        end

        # Returns a Report.
        def call
          return nothing if nothing?

          report = FolderError.guard(@root) do
            Install::BundleFolder.lock(@root, @events) { nothing? ? nothing : restore }
          end
          report.tap { report.seconds = Util.now - @started }
        end

        # Returns a Check::Result. Changes nothing. For options that affect the locations of packages, uses those of the
        # last restore, unless another tool has run since.
        def check
          FolderError.guard(@root) do
            record = Memory::Record.load(@store, @root)
            @options = @options.shaped(record.summary) if record&.state?
            differences
          end
        end

        # See JS.reasons.
        def reasons
          fresh
          nil
        rescue LeftToTool => e
          e.reasons
        end

        private

        def differences
          Check.new(context, fresh).call
        rescue LeftToTool
          Check.of_tool(Tools.in_place?(Project.at(@root, @env), @env, @options), @root)
        end

        def configuration(project = Project.at(@root, @env))
          Configuration.of(project, @env, store: @store).tap(&:check_supported)
        end

        def surroundings = @surroundings ||= Memory::Surroundings.new(@env, @options, @store).to_s

        # Whether nothing has changed since the last restore. False if the project has scripts of its own: like the
        # tools, Spate always runs these.
        def nothing?
          return false if @options.restore || @options.rebuild

          @record = Memory::Record.load(@store, @root)
          !@record.nil? && !@record.summary["own"] && @record.hold?(surroundings, @env)
        end

        def nothing
          @record.renew(@store, @env)
          Report.new.tap do |report|
            report.noop = true
            report.root = @root
            report.tool = @record.summary["tool"]
            report.total = report.reused = @record.summary["total"].to_i
            report.seconds = Util.now - @started
          end
        end

        def restore
          repeated = repeat
          return repeated if repeated

          plan, sources = memory.load || planned
          Execution.new(context, plan, surroundings: surroundings, sources: sources, kept: memory, &@keep).call
        rescue LeftToTool => e
          hand_over(Project.at(@root, @env), e.reasons)
        end

        # Restores from the Image of an earlier restore. Returns a Report, or nil if a plan is needed.
        def repeat
          return if @options.restore || @options.rebuild || Store::Object.lstat(File.join(@root, Repeat::MODULES))

          image = Memory::Image.find(memory, @store, surroundings, @env)
          report = Repeat.new(context, image, surroundings).call if image
          Memory::Image.discard(memory) unless report
          report
        end

        def memory = @memory ||= Memory::KeptPlan.new(@store, @root, surroundings, @env)

        # Returns [Plan, Sources or nil]. Reads the inputs again if they change in the meantime.
        def planned
          warn_of_other_tool(Project.at(@root, @env))
          plan = nil
          (@store.writable_store ? TRIES : 1).times do |try|
            sleep(PAUSE) if try.positive?
            since = Memory::Sources.clock
            plan, reading = Reading.of { fresh }
            break if reading.fleeting

            sources = Memory::Sources.of(plan, reading, since, @store, @env)
            next unless sources

            @keep = -> { memory.save(plan, reading, sources) }
            return [plan, sources]
          end
          [plan, nil]
        end

        # Warns if package.json names a tool other than the one that owns the only lockfile, which may be out of date.
        # pnpm itself rejects such a project, see Pnpm::Planning::Pin.
        def warn_of_other_tool(project)
          manager = project.manager
          return if manager.nil? || !manager.exact || [manager.name, "pnpm"].include?(project.tool_name)

          message = "package.json names #{manager}, but its only lockfile is #{project.tool_name}'s, which is used"
          hint = "commit #{manager.name}'s lockfile, or name #{project.tool_name} in package.json"
          @events.emit(:warning, message: message, hint: hint)
        end

        def fresh
          project = Project.at(@root, @env)
          planner = PLANNERS[project.tool] or raise LeftToTool, []

          configuration = configuration(project)
          plan = JS.const_get(planner).plan(project, configuration, @options, slots: slots)
          plan.inputs |= configuration.inputs | Memory::Names.archives(plan)
          plan
        end

        # Uses slots only if prune can record which of them are in use.
        def slots = (-> { Place::Slots.folder(@store) } if @store.writable? && !@root.match?(/[\t\n]/))

        def context
          Context.new(root: @root, env: @env, store: @store, events: @events, options: @options, backlog: @backlog,
                      configuration: -> { configuration }) do |configuration|
            Registry::Client.new(configuration: configuration, events: @events)
          end
        end

        # Runs the project's own tool.
        def hand_over(project, reasons)
          Memory::Record.forget(@store, @root)
          @options.unsupported_by(project.tool).each do |option|
            message = "#{option} has no effect: #{project.tool_name} restores this project"
            @events.emit(:warning, message: message, hint: nil)
          end
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
