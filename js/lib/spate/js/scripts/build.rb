# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # What a package's scripts made or changed in its folder: kept in the store as gems' extensions are
      # (docs/builds.md), under a key of what is known before, their environment with it, and with a record of what they
      # read. The next time it is laid over the package, and nothing runs.
      #
      # Not kept is the work of scripts that used the network, or wrote outside of their folder what is still there, or
      # that found in their folder what is not the archive's: they run wherever the package is placed.
      class Build
        autoload :Folder, "spate/js/scripts/build/folder"
        autoload :Observed, "spate/js/scripts/build/observed"

        FORMAT = "spate js build 3"

        # As ::Spate::Build::Job, for those that record. texts: of its scripts. left_out: see Folder.
        Subject = Struct.new(:package, :gem_dir, :key, :archive_sha256, :texts, :left_out, keyword_init: true) do
          def own_paths = [gem_dir]
          def needed = []
          def arguments = []
          def signers = []
          # Who loads what, nobody knows.
          def reads?(path) = !self.class::LEFTOVER.match?(path.b.delete_prefix(gem_dir.b))
        end
        # What node-gyp leaves beside what it made, and nothing loads.
        Subject::LEFTOVER = %r{/build/(?:.*\.(?:o|a|d|mk)|(?:.*[/.])?Makefile|config\.gypi)\z}n
        Named = Struct.new(:name, :full_name)
        # What of a bundle's layout is asked for.
        Place = Struct.new(:root) do
          def rubygems = Struct.new(:path).new([])
          def gems = "#{root}/node_modules"
          alias_method :extensions, :gems
        end

        def initialize(job, session)
          @job = job
          @session = session
          @store = session.store
          @root = session.plan.root
          @folder = Folder.new(job, session.plan)
        end

        # The Build::Cache::Entry of what is there now, once it was put into place or kept; else nil.
        attr_reader :entry

        # Puts a kept build in place whose inputs are all the same here; whether there was one.
        def reuse
          return false unless key

          kept = @store.shelves.flat_map { |store| ::Spate::Build::Cache::Candidates.new(store, key).all }
          found = kept.find { |entry| check.change(entry).nil? }
          !found.nil? && place(found)
        end

        # Whether what the store keeps under a name would be made now. name: "" where it keeps nothing.
        def holds?(name)
          return true if name.empty?

          found = @store.shelves.filter_map { |store| ::Spate::Build::Cache::Entry.find(store, name) }.first
          !found.nil? && check.change(found).nil?
        end

        # Runs the scripts. Raises ScriptFailed, Interrupted.
        def call
          @run = Run.new(@job, @session)
          @whole = @session.whole?(@job, @folder.snapshot)
          @folder.part
          before = @folder.snapshot
          started = coarse
          began = now
          heard = whole { @run.call }
          keep(before, heard, started, now - began)
        end

        def stop = @run&.stop

        private

        # What a script left half done is no package: the next restore places it anew. pnpm left it so up to its tenth.
        def whole
          done = false
          yield.tap { done = true }
        ensure
          Ground::Files.remove("#{@job.folder}/#{Project::PACKAGE}") unless done || @session.stays?(@job)
        end

        # nil for what is not kept: whose content nobody vouches for, or that lies in the store itself.
        def key
          return @key if defined?(@key)

          tree = @job.tree
          @key = if tree.package.integrity && !tree.path.start_with?("/")
                   Store.sha256([FORMAT, RUBY_PLATFORM, ::Spate::Build::Key.umask, tree.path,
                                 tree.package.integrity.key, patch, @job.scripts, @session.inputs(@job)].inspect)
                 end
        end

        def patch = @job.tree.patch && Store.sha256(File.binread(File.join(@root, @job.tree.patch)))

        def environment = @environment ||= @session.environment(@job)
        def check = @check ||= ::Spate::Build::Trace::ReuseCheck.new(@root, environment)

        def place(entry)
          ::Spate::Build::Cache::Removals.each(entry.manifest, @root) { |path| Store::Sweep.remove(path) }
          return false unless entry.store.native.link([[@root, [entry.manifest], :clone]]).first.ok?

          entry.use
          @entry = entry
          true
        end

        # Its work is done; that it cannot be kept is no error.
        def keep(before, heard, started, seconds)
          home = @store.keeper
          return unless home && heard && key && @whole

          subject = subject()
          observed = Observed.new(heard, subject, layout: Place.new(@root), reuse_check: check,
                                                  environment: environment, started: started)
          return if observed.doubt

          recorder = ::Spate::Build::Cache::Recorder.new(home, check, environment, @root)
          home.guard do
            @entry, = recorder.call(subject, before, @folder.snapshot, seconds: seconds, observed: observed)
          end
        rescue Store::Error, SystemCallError
          nil
        end

        def subject
          package = @job.tree.package
          Subject.new(package: Named.new(package.name, @job.label), gem_dir: @job.folder, key: key,
                      archive_sha256: Store.sha256(package.integrity.key), texts: @job.scripts.map(&:last),
                      left_out: @folder.leave_out)
        end

        # By the clock of the kernel's file times, which is a tick behind.
        def coarse = Time.at(0, Process.clock_gettime(::Spate::Native::FILE_CLOCK, :nanosecond), :nsec)
        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
