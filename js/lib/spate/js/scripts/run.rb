# frozen_string_literal: true

require "spate/tracer"

module Spate
  module JS
    module Scripts
      # Runs the scripts of a job one after the other, and traces each.
      class Run
        # session: Session.
        def initialize(job, session)
          @job = job
          @session = session
          @mutex = Mutex.new
        end

        # Returns [Tracer::Trace], or nil if tracing is not available. Raises ScriptFailed, Interrupted.
        def call
          trace = [] if Tracer.available? == true && !@job.own?
          @job.scripts.each { |event, text| script(event, text, trace) }
          trace
        end

        # Stops the running script. Thread-safe.
        def stop
          @mutex.synchronize { @stopped = true }
          @child&.stop
        end

        private

        def script(event, text, trace)
          log = @session.temporary
          status = listen(trace) { |tracer| start(event, text, log, tracer) }
          raise Interrupted, "interrupted" if @child.stopped?

          raise failure(event, text, status, log) unless status.success?
        ensure
          Util::Files.remove(log) if log
        end

        def listen(trace, &block)
          return yield unless trace

          found = Tracer.trace(&block)
          trace << found
          found.value
        end

        def start(event, text, log, tracer)
          variables = @session.variables.of(@job, event, text).merge(@session.added)
          variables = Tracer.copy_on_write_environment(variables, @session.plan.root) || variables
          child = Tools::Child.new(variables, log, folder: @job.folder, tracer: tracer,
                                                   inherited: @session.jobserver.descriptors)
          @mutex.synchronize do
            raise Interrupted, "interrupted" if @stopped

            @child = child
          end
          child.run(*@session.shell, text)
        end

        def failure(event, text, status, log)
          diagnosis = Diagnosis.new(File.exist?(log) ? File.binread(log) : "")
          reason = status.signaled? ? "signal #{status.termsig}" : "exit code #{status.exitstatus}"
          ScriptFailed.new(@job.label, event, text, reason, log: @session.keep_log(@job, log), hint: diagnosis.hint,
                                                            lines: diagnosis.details)
        end
      end

      # Selects lines from a failed script's log for the error: first the errors of compilers and other tools, then the
      # last lines.
      class Diagnosis
        FIRST = 6
        LAST = 12
        # Lines that node-gyp prints for any error.
        NOISE = /\A(?:gyp (?:ERR!|info|verb)|npm (?:err|notice|warn))/i

        def initialize(text)
          @lines = ::Spate::Build::Failure::Log.new(text).text.lines(chomp: true)
                                               .reject { |line| line.strip.empty? }
        end

        # [String]
        def details
          relevant_lines = @lines.grep(::Spate::Build::Failure::RELEVANT).grep_v(NOISE).first(FIRST)
          last = end_of(@lines.grep_v(NOISE))
          ((relevant_lines - last) + last).map { |line| line.rstrip[0, 300] }
        end

        # The hint to install a missing system package, or nil.
        def hint = ::Spate::Build::Failure::Packages.find(@lines.join("\n"))&.hint

        private

        def end_of(lines) = (lines.empty? ? @lines : lines).last(LAST)
      end

      # Determines which scripts of a project's own packages run, and when. Follows the rules of each tool:
      #
      #   first    scripts of the root, before anything is placed: they may create what is needed to fetch packages
      #   members  scripts of the packages in npm's workspace, by event: before and after npm links their executables
      #   last     all others, when the state is written; pnpm's packages in the order of their dependencies
      class Own
        ROOT = {
          "npm" => %w[predependencies dependencies postdependencies preinstall install postinstall prepublish preprepare
                      prepare postprepare],
          "pnpm" => %w[pnpm:devPreinstall preinstall install postinstall preprepare prepare postprepare],
          "yarn" => %w[preinstall install postinstall prepublish prepare],
          "bun" => %w[preinstall install postinstall preprepare prepare postprepare]
        }.freeze
        MEMBER = { "npm" => %w[preinstall prepare install postinstall], "pnpm" => ROOT["pnpm"].drop(1),
                   "yarn" => %w[preinstall install postinstall], "bun" => ROOT["bun"] }.freeze
        # Events of the root that run first. npm 12 and pnpm 12 added `preinstall`.
        FIRST = { "npm" => %w[preinstall], "pnpm" => %w[pnpm:devPreinstall preinstall] }.freeze
        FIRST_BEFORE = { "pnpm" => %w[pnpm:devPreinstall] }.freeze
        NEW = 12
        # Events that only run if packages were placed.
        CHANGED = /dependencies\z/

        # context: responds to path(inside).
        def initialize(plan, context)
          @plan = plan
          @context = context
        end

        # Whether the project's own packages have any scripts to run.
        def any?
          facts = @plan.projects.to_h { |path| [path, Package::Facts.of_folder(folder(path))] }
          [first, *members(facts), last(facts)].any?(&:any?)
        end

        # [Job]
        def first = [job(".", first_events)].compact

        # [[Job] before executables are linked, [Job] afterwards]. Each job has one event.
        def members(facts)
          return [[], []] unless @plan.tool == "npm"

          MEMBER["npm"].each_slice(2).map do |events|
            events.product(folders - ["."]).filter_map { |event, path| job(path, [event], facts[path]) }
          end
        end

        # [Job]
        def last(facts)
          paths = @plan.tool == "npm" ? ["."] : folders
          paths.filter_map { |path| job(path, path == "." ? last_events : MEMBER.fetch(@plan.tool), facts[path]) }
        end

        # Folders of the projects with install scripts.
        def folders_of(facts) = @plan.projects.sort.select { |path| job(path, MEMBER.fetch(@plan.tool), facts[path]) }

        private

        # pnpm's plan contains the folders in order. With yarn and bun, the root is the last one.
        def folders = @plan.tool == "pnpm" ? @plan.projects : @plan.projects - ["."] + (@plan.projects & ["."])

        def first_events = (@plan.major < NEW ? FIRST_BEFORE : FIRST).fetch(@plan.tool, [])

        def last_events
          events = ROOT.fetch(@plan.tool) - first_events
          @plan.trees.empty? && @plan.links.to_h.empty? ? events.grep_v(CHANGED) : events
        end

        def job(path, events, facts = nil)
          Job.of_project(path, facts || Package::Facts.of_folder(folder(path)), folder(path), events)
        end

        def folder(path) = path == "." ? @plan.root : @context.path(path)
      end
    end
  end
end
