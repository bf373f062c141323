# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # The scripts of one folder.
      #
      # key:: the lockfile's key, or a project's folder
      # label:: for display: "sharp@0.33.0"
      # path:: relative to the root
      # folder:: absolute
      # scripts:: [[event, text], ...] in their order
      # tree:: Tree; nil for one of the application's own projects
      # needs:: jobs that must end before this one
      Job = Struct.new(:key, :label, :path, :folder, :scripts, :tree, :needs, keyword_init: true)

      # Reopened as a class body, because Ruby looks up constants lexically.
      class Job
        # This script prints nothing if pnpm runs it.
        GUARD = "npx only-allow pnpm"

        # The Job of a tree, or nil if the tree has no scripts. folder: absolute.
        def self.of_tree(tree, facts, folder)
          scripts = chosen(facts, Package::Facts::BUILDS)
          return if scripts.empty?

          new(key: tree.key, label: [tree.package.name, tree.package.version].compact.join("@"), path: tree.path,
              folder: folder, scripts: scripts, tree: tree, needs: [])
        end

        # The Job of a project, or nil if it has none of these events. path: "." or the folder of a workspace's package.
        def self.of_project(path, facts, folder, events)
          scripts = chosen(facts, events)
          return if scripts.empty?

          new(key: path, label: facts.name || (path == "." ? File.basename(folder) : path), path: path, folder: folder,
              scripts: scripts, tree: nil, needs: [])
        end

        def self.chosen(facts, events)
          return [] unless facts

          events.filter_map { |event| [event, facts.scripts[event]] if facts.scripts[event] }
                .reject { |_, text| text == GUARD }
        end
        private_class_method :chosen

        # Sets the `needs` of jobs: the jobs of all trees on which a tree depends, directly or not. In a cycle, the
        # first job starts first. jobs: { path of a tree => Job }. trees: { path of a tree => Tree }.
        def self.order(jobs, trees)
          jobs.each_value { |job| job.needs = below(job, jobs, trees) }
        end

        def self.below(job, jobs, trees)
          seen = { job.path => true }
          open = job.tree.needs.dup
          found = []
          while (path = open.pop)
            next if seen[path]

            seen[path] = true
            jobs[path] ? found << jobs[path] : open.concat(trees[path]&.needs.to_a)
          end
          found
        end
        private_class_method :below

        def optional? = !tree.nil? && tree.optional
        def own? = tree.nil?
        # Compares jobs by identity, since `needs` may contain a cycle.
        def ==(other) = equal?(other)
        def eql?(other) = equal?(other)
        def hash = object_id.hash
        def inspect = "#<Job #{label}>"
      end

      # Runs jobs in parallel. A job starts after all jobs in its `needs` have ended.
      class Order
        def initialize(jobs, threads)
          @waiting = jobs.dup
          @running = []
          @threads = [threads, jobs.size].min
          @mutex = Mutex.new
          @changed = ConditionVariable.new
        end

        # Yields each job, in several threads. On the first error no further jobs start; it is raised after the running
        # jobs have ended. stop: called on an interrupt.
        def each(stop:, &block)
          threads = Array.new(@threads) { Thread.new { work(&block) } }
          threads.each(&:join)
          raise @error if @error
        rescue ::Interrupt
          give_up(nil)
          stop.call
          threads&.each(&:join)
          raise
        end

        private

        def work
          while (job = take)
            begin
              yield job
            rescue StandardError => e
              give_up(e)
            ensure
              @mutex.synchronize do
                @running.delete(job)
                @changed.broadcast
              end
            end
          end
        end

        def give_up(error)
          @mutex.synchronize do
            @error ||= error
            @waiting.clear
            @changed.broadcast
          end
        end

        def take
          @mutex.synchronize do
            until @waiting.empty?
              job = @waiting.find { |each| ready?(each) } || (@waiting.first if @running.empty?)
              return start(job) if job

              @changed.wait(@mutex)
            end
          end
        end

        def ready?(job) = job.needs.none? { |other| @waiting.include?(other) || @running.include?(other) }

        def start(job)
          @waiting.delete(job)
          @running << job
          job
        end
      end

      # Records which scripts have run in a project, in which folder, and with which inputs. A package that was placed
      # again has a new package.json, which marks its scripts as not run.
      class Memory
        KIND = "scripts"
        FORMAT = "spate scripts 2"

        # state:: digest of the scripts and of the stat of the folder's package.json
        # inputs:: digest of the inputs of the scripts
        # build:: key of the stored build, "" if none is stored
        Ran = Struct.new(:state, :inputs, :build)

        def initialize(store, root)
          @home = store.writable_store
          @key = Store.sha256(root)
          @mutex = Mutex.new
        end

        # Returns Ran, or nil if the job has not run in this folder.
        def find(job) = before[job.path]&.then { |ran| ran if ran.state == state(job) }

        # Paths of all jobs that have run, even of packages that are not installed any more.
        def paths = all.keys

        # { path => key of its stored build }; only jobs with a stored build.
        def builds = all.transform_values(&:build).reject { |_, key| key.empty? }

        def note(job, inputs, build) = @mutex.synchronize { after[job.path] = Ran.new(state(job), inputs, build.to_s) }

        # jobs: all existing jobs. Forgets all others.
        def save(jobs)
          kept = all.slice(*jobs.map(&:path))
          return if kept == before

          @home&.write(KIND, @key, "#{FORMAT}\n#{kept.map { |path, ran| "#{[*ran, path].join("\t")}\n" }.join}")
          @mutex.synchronize { @before = kept.tap { after.clear } }
        end

        private

        def all = @mutex.synchronize { before.merge(after) }
        def after = @after ||= {}

        def before
          @before ||= begin
            text = @home&.read(KIND, @key).to_s
            lines = text.start_with?("#{FORMAT}\n") ? text.lines(chomp: true).drop(1) : []
            lines.map { |line| line.split("\t", 4) }.to_h { |*ran, path| [path, Ran.new(*ran)] }
          end
        end

        def state(job)
          stat = File.lstat("#{job.folder}/package.json")
          Store.sha256([stat.dev, stat.ino, stat.size, stat.mtime.to_r, stat.ctime.to_r, job.key, job.scripts].inspect)
        rescue SystemCallError
          "none"
        end
      end
    end
  end
end
