# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # Runs the scripts of one restore. All steps raise ScriptFailed, NodeMissing, Interrupted.
      class Session
        attr_reader :store, :plan, :context
        # Keys of packages whose scripts did not run, for which a warning gave the reason.
        attr_reader :warned_of

        # The block returns whether a tree's own address serves its archive.
        def initialize(plan, outcome, configuration, context, &vouch)
          @vouch = vouch
          @plan = plan
          @outcome = outcome
          @configuration = configuration
          @context = context
          @env = context.env.to_h
          @store = context.store
          @events = context.events
          @memory = Memory.new(@store, plan.root)
          @mutex = Mutex.new
          @runs = []
          @substitutes = {}
          @warned_of = []
          @count = Count.new(0, 0)
          @own = Own.new(plan, context)
        end

        def variables = @variables ||= Variables.new(@env, @plan.root, @plan.tool, @configuration, machine)
        def jobserver = @jobserver ||= ::Spate::Build::Run::Jobserver.new(@context.options&.jobs)

        # Whether the project's own packages have scripts that will run.
        def own?
          @runs_own = !silent? && @own.any? if @runs_own.nil?
          @runs_own
        end

        # Whether some scripts do not run only because no registry is known. This may be different next time.
        def unknown? = !silent? && policy.unknown.any?

        # Whether the user was warned about packages whose scripts do not run, or about lists without effect.
        def warned? = warned_of.any? || policy.ignored.any?

        # Paths of trees whose scripts have run, now or earlier.
        def scripted = @memory.paths

        # Runs the first scripts of the project. Call before anything is placed.
        def first = run { @own.first }

        # Runs the allowed scripts that have not run yet, and sets built, pending and skipped of the outcome. Call after
        # all packages, links and bins are in place, and before the state files are written. Yields to link executables
        # again: in any thread, but in one at a time. anew: Restore::Place::Anew, nil without a restore. Returns a
        # Count.
        def call(anew = nil, &link)
          @anew = anew
          jobs = allowed
          take_back(jobs)
          dependencies(jobs, (link if @plan.tool == "pnpm")) unless jobs.empty?
          before, after = @own.members(@outcome.facts)
          link&.call if run { before }
          run { after }
          @count
        ensure
          remember(jobs) if jobs
        end

        # Runs the last scripts of the project. Call after everything is in place and recorded. Returns whether there
        # were any.
        def last = run { @own.last(@outcome.facts) }

        # Variables for this run: the job server, and the folder that other spate processes must not change in the
        # meantime.
        def added
          { "MAKEFLAGS" => jobserver.makeflags(own_flags), **Install::FolderLock.variables(@plan.root, @env) }
        end

        # The command that runs a script's text. An empty setting means the default, as in the tools.
        def shell = [setting("script-shell").to_s.then { |given| given.empty? ? "sh" : given }, "-c"]

        # An unused path for temporary files.
        def temporary
          return @store.temporary("script") if @store.writable?

          require "tmpdir"
          "#{Dir.tmpdir}/spate-script-#{Process.pid}-#{Random.urandom(8).unpack1("H*")}"
        end

        # Keeps the log of a failed script. Returns its path, or nil if it cannot be written.
        def keep_log(job, log)
          return unless File.file?(log)

          ::Spate::Build::Failure::Kept.write(@store, job.label.gsub(/[^\w.@-]/, "-"), File.binread(log))
        rescue SystemCallError
          nil
        end

        # Whether a package stays in place although its script failed.
        def stays?(job) = job.optional? && @plan.goes_with([job.key]).empty?

        def environment(job) = ::Spate::Build::Environment.new(variables.counted(job))

        # The inputs of a job's scripts that are known before they run.
        def inputs(job) = [shell, own_flags, variables.inputs(job)]

        # Whether a package is identical to its archive. snapshot: of the package's folder.
        def whole?(job, snapshot)
          start = job.folder.size + 1
          files = snapshot.entries.filter_map { |path, (type)| path[start..] unless type == "directory" }
          @anew.nil? || @anew.whole?(job.tree, files)
        end

        private

        def setting(key) = @configuration && @configuration[key]

        # Whether all scripts are disabled.
        def silent?
          given = @context.options&.ignore_scripts
          given.nil? ? policy.silent? || setting("ignore-scripts") == true : given
        end

        def warn_of_other(asking)
          @warned_of << asking.key
          @events.emit(:warning, message: "#{asking.full_name} in the lockfile is an archive of #{asking.found}: " \
                                          "its scripts do not run",
                                 hint: "check who changed the lockfile, and reinstall with #{@plan.tool}")
        end

        def warn_of_unknown(asking)
          @warned_of.concat(asking.map(&:key))
          names = asking.map(&:full_name).uniq.sort.join(", ")
          @events.emit(:warning, message: "scripts of #{names} do not run: they are on a list, but it is " \
                                          "unknown whether they come from the registry (#{UNKNOWN::UNKNOWN})",
                                 hint: UNKNOWN::HINT)
        end

        UNKNOWN = Configuration::UnknownRegistryError
        private_constant :UNKNOWN

        def policy = @policy ||= Policy.of(@plan, @configuration)

        # Jobs of trees whose scripts may run, in the order of the plan. All others are recorded in the outcome.
        def allowed
          asking = Asking.all(@plan, @outcome.facts, policy)
          warn_of(policy.ignored) if asking.any?
          asking.each { |each| warn_of_other(each) if each.found }
          warn_of_unknown(asking.select(&:unknown)) if unknown?
          trees = @plan.trees.to_h { |tree| [tree.path, tree] }
          chosen, rest = asking.partition { |each| runs?(each, trees[each.path]) }
          @outcome.asking = asking.map(&:key)
          @outcome.deferred = [@own.folders_of(@outcome.facts), @outcome.asking] if silent?
          @outcome.pending.concat(rest.reject { |each| each.allowed == false }.map(&:key))
          jobs = chosen.to_h do |each|
            [each.path, Job.of_tree(trees[each.path], @outcome.facts[each.path], @context.path(each.path))]
          end
          Job.order(jobs.compact, trees)
          jobs.values.compact
        end

        def runs?(asking, tree)
          return false if !asking.allowed || silent? || shared?(asking)
          return true if asking.unproven? || @vouch.nil? || @vouch.call(tree)

          @warned_of << asking.key
          @events.emit(:warning, message: "scripts of #{asking.full_name} do not run: its address was not checked",
                                 hint: "run `spate js` once without --local")
          false
        end

        # Whether a package is in a global virtual store. No script may write to a package that several projects share.
        def shared?(asking) = asking.path.start_with?("/")

        # Warns about entries that have no effect. They are probably mistakes.
        def warn_of(words)
          return if words.empty?

          @events.emit(:warning, message: "lists of scripts that may run have no effect for #{words.join(", ")}",
                                 hint: "list names of packages, with or without exact versions: name@1.0.0 || 1.0.1")
        end

        # Warns if a script would start a package's executable as node. npm and pnpm, too, put the executables of all
        # packages first on the PATH, including packages whose scripts may not run.
        def warn_of_node(job)
          found = variables.node(job)
          return if found == machine.node
          return if @mutex.synchronize { @substitutes[found].tap { @substitutes[found] = true } }

          @events.emit(:warning, message: "scripts of #{job.label} run an executable of a package as node: #{found}",
                                 hint: "check whether this is intended: ls -l #{found}")
        end

        # Runs the jobs that the block returns, one after the other. Returns whether there were any.
        def run
          return false if silent?

          yield.each { |job| perform(job) { Run.new(job, self) } }.any?
        end

        def machine = @machine ||= Machine.new(Util::Environment.clean(@env), @plan.tool, @plan.version)
        def own_flags = @own_flags ||= ::Spate::Build::Environment.new(@env).makeflags

        # Restores packages whose scripts ran earlier, but are no longer allowed.
        def take_back(jobs)
          gone = @memory.paths - jobs.map(&:path)
          trees = @anew && gone.any? ? @plan.trees.to_h { |tree| [tree.path, tree] } : {}
          trees.values_at(*gone).compact.each { |tree| @anew.call(tree) }
        end

        # link: links executables again, or nil. An executable created by scripts must be linked after they ran, because
        # pnpm's link depends on its first line.
        def dependencies(jobs, link)
          Order.new(jobs, jobserver.size).each(stop: method(:stop)) do |job|
            next if gone?(job)

            @mutex.synchronize(&link) if link && job.needs.any?
            next @mutex.synchronize { @outcome.built << job.key } if !again?(job) && holds?(job)

            @anew&.call(job.tree)
            built = Build.new(job, self)
            next reused(job, built) if !again?(job) && built.reuse

            perform(job) { built }
          end
          link&.call
        end

        # Whether running the scripts again would have the same result. True without node, because they cannot run.
        def holds?(job)
          ran = @memory.find(job) or return false
          machine.node.nil? || (ran.inputs == digest(job, ran.build) && Build.new(job, self).holds?(ran.build))
        end

        # build: key of the stored build, whose recorded inputs are compared separately. Without a key, the digest
        # includes all packages of the plan.
        def digest(job, build)
          Store.sha256((build.to_s.empty? ? [*inputs(job), packages] : inputs(job)).inspect)
        end

        def packages
          @packages ||= @plan.trees.map { |tree| [tree.path, tree.package.full_name, tree.package.integrity&.key] }
        end

        def remember(jobs)
          @memory.save(jobs)
          @outcome.builds = @memory.builds.values
        end

        def again?(job) = job.tree && !!@context.options&.rebuild?(job.tree.package.name)

        def perform(job)
          raise NodeMissing.new(job.label, job.scripts.first.first) unless machine.node

          warn_of_node(job)
          run = supervise(yield)
          @events.emit(:js_script_start, name: job.label, script: job.scripts.map(&:first).join(" "))
          started = Util.now
          jobserver.hold { run.call }
          @events.emit(:js_script_done, name: job.label, seconds: (Util.now - started).round(3), cached: false)
          ran(job, run) unless job.own?
        rescue ScriptFailed => e
          raise unless job.optional?

          failed(job, e)
        ensure
          @mutex.synchronize { @runs.delete(run) } if run
        end

        def ran(job, built)
          @mutex.synchronize { @count.ran += 1 }
          finished(job, built)
        end

        def reused(job, built)
          @events.emit(:js_script_done, name: job.label, seconds: 0.0, cached: true)
          @mutex.synchronize { @count.reused += 1 }
          finished(job, built)
        end

        def finished(job, built)
          key = built.entry&.key
          @memory.note(job, built.unsettled? ? "" : digest(job, key), key)
          @mutex.synchronize { @outcome.built << job.key }
        end

        # Whether the package was removed together with a package whose script failed. Its scripts do not run.
        def gone?(job) = @mutex.synchronize { @gone&.include?(job.path) }

        # Records the failure of an optional package, which may stay in place: see stays?
        def failed(job, error)
          @mutex.synchronize do
            @outcome.skipped << job.key
            @gone = @plan.goes_with(@outcome.skipped)
          end
          @events.emit(:warning, message: "#{error.message}; the package is optional", hint: nil)
        end

        # Registers a run, so that #stop can end it.
        def supervise(run)
          @mutex.synchronize do
            raise Interrupted, "interrupted" if @stopped

            @runs << run
          end
          run
        end

        def stop
          running = @mutex.synchronize do
            @stopped = true
            @runs.dup
          end
          running.map { |run| Thread.new { run.stop } }.each(&:join)
        end
      end
    end
  end
end
