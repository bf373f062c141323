# frozen_string_literal: true

require "spate/inputs"

module Spate
  module JS
    module Scripts
      # The files that a package's scripts created or changed in its folder. Stored like the extensions of gems
      # (docs/builds.md): the key covers the known inputs and the environment, and a record lists the files that the
      # scripts read. Reusing a build copies the files over the package without running scripts.
      #
      # A build is not stored if the scripts used the network, wrote a file outside of their folder that still exists,
      # or found files in their folder that are not from the archive. Then they run each time the package is placed.
      class Build
        FORMAT = "spate js build 3"

        # Has the interface of ::Spate::Build::Job for the recorder. texts: the scripts' texts. left_out: see Folder.
        Subject = Struct.new(:package, :gem_dir, :key, :archive_sha256, :texts, :left_out, keyword_init: true) do
          def own_paths = [gem_dir]
          def needed = []
          def arguments = []
          def signers = []
          # Whether programs may read a file of the build. True for all files except node-gyp's leftovers.
          def reads?(path) = !self.class::LEFTOVER.match?(path.b.delete_prefix(gem_dir.b))
        end
        # Files that node-gyp leaves beside its result. No program loads them.
        Subject::LEFTOVER = %r{/build/(?:.*\.(?:o|a|d|mk)|(?:.*[/.])?Makefile|config\.gypi)\z}n
        Named = Struct.new(:name, :full_name)
        # The part of a bundle's layout that the recorder uses.
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

        # The Build::Cache::Entry of the current result, after it was put into place or stored; otherwise nil.
        attr_reader :entry

        # Whether an input changed while the scripts ran. If so, it is unknown which content they read.
        def unsettled? = !!@unsettled

        # Puts a stored build with the same inputs into place. Returns whether there was one.
        def reuse
          return false unless key

          kept = @store.all_stores.flat_map { |store| ::Spate::Build::Cache::Variants.new(store, key).all }
          found = kept.find { |entry| check.change(entry).nil? }
          !found.nil? && place(found)
        end

        # Whether the scripts would create the stored build of this key again. name: the key; "" if none was stored.
        def holds?(name)
          return true if name.empty?

          found = @store.all_stores.filter_map { |store| ::Spate::Build::Cache::Entry.find(store, name) }.first
          !found.nil? && check.change(found).nil?
        end

        # Runs the scripts. Raises ScriptFailed, Interrupted.
        def call
          @run = Run.new(@job, @session)
          @whole = @session.whole?(@job, @folder.snapshot)
          @folder.part
          before = @folder.snapshot
          started = Inputs.start
          began = Util.now
          trace = whole { @run.call }
          keep(before, trace, started, Util.now - began)
        end

        def stop = @run&.stop

        private

        # If a script fails, removes the package.json: the package is incomplete, and the next restore places it again.
        # Does not remove it for an optional package that pnpm up to 10 keeps.
        def whole
          done = false
          yield.tap { done = true }
        ensure
          Util::Files.remove("#{@job.folder}/#{Project::PACKAGE}") unless done || @session.stays?(@job)
        end

        # nil if the build must not be stored: the package has no digest, or is in a shared slot.
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

        # Stores the build. A failure to do so is not an error.
        def keep(before, trace, started, seconds)
          home = @store.writable_store
          return unless home && trace

          subject = subject()
          observed = Observed.new(trace, subject, layout: Place.new(@root), reuse_check: check,
                                                  environment: environment, started: started)
          @unsettled = !observed.changed.nil?
          return if key.nil? || !@whole || observed.doubt

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
                      archive_sha256: Store.sha256(package.integrity&.key.to_s), texts: @job.scripts.map(&:last),
                      left_out: @folder.leave_out)
        end

        # The folder of a package, without other packages inside it.
        class Folder
          MODULES = "node_modules"
          # A Snapshot that excludes the node_modules of a folder.
          class Snapshot < ::Spate::Build::Run::Snapshot
            def initialize(folder, leave_out)
              @leave_out = leave_out
              super(folder)
            end

            def add(path) = (super unless path == @leave_out)
          end

          def initialize(job, plan)
            @folder = job.folder
            inner = "#{job.path}/#{MODULES}/"
            @leave_out = ("#{@folder}/#{MODULES}" if plan.trees.any? { |tree| tree.path.start_with?(inner) })
          end

          # Path of the node_modules in the folder, if it contains other packages; otherwise nil.
          attr_reader :leave_out

          def snapshot = Snapshot.new(@folder, @leave_out)

          # Replaces the package's files with copies, because they are shared with the store.
          def part(folder = @folder)
            Dir.each_child(folder) do |name|
              path = "#{folder}/#{name}"
              next if path == @leave_out

              stat = File.lstat(path)
              stat.directory? ? part(path) : own(path, stat)
            end
          end

          private

          def own(path, stat)
            return unless stat.file? && (stat.nlink > 1 || stat.mode & 0o200 == 0)

            Util::Files.replace(path) do |fresh|
              Util::Files.copy(path, fresh, mode: (stat.mode & 0o777) | 0o200, time: stat.mtime)
            end
          end
        end

        # The inputs of a package's scripts. They are determined as for a gem's extension, except that a build is not
        # stored if it wrote files elsewhere: reuse would not create these.
        class Observed < ::Spate::Build::Trace::ObservedInputs
          # Files that are temporary, or created again on demand.
          PASSING = %r{\A/(?:dev|proc|sys)(?:/|\z)|/__pycache__(?:/|\z)}
          # Variables that contain the project's path, which may be part of the result.
          WHERE = %w[INIT_CWD npm_config_local_prefix npm_package_json PNPM_SCRIPT_SRC_DIR].freeze
          CACHES = %w[.cache .npm .node-gyp .electron-gyp].freeze

          def initialize(trace, job, environment:, **given)
            super
            @folder = "#{job.gem_dir}/"
            @inner = "#{real(job.gem_dir)}#{Folder::MODULES}/"
            home = environment["HOME"]
            places = [environment["TMPDIR"], environment["XDG_CACHE_HOME"], environment["npm_config_cache"], "/tmp",
                      "/var/tmp", *(CACHES.map { |name| "#{home}/#{name}" } if home)]
            @passing = places.compact.map { |place| "#{place.chomp("/")}/" }
            @traces = trace
            @job = job
          end

          def doubt = super || outside_writes
          def bound? = WHERE.any? { |name| words.contain?(name) || @job.texts.any? { |text| text.include?(name) } }

          private

          # Uses all variables, because scripts receive all of them.
          def places = @environment.places

          # Excludes packages in the package's node_modules, bundled ones included.
          def own?(path) = super && !inner?(path)
          def known?(path) = super && !inner?(path)
          def inner?(path) = "#{path}/".start_with?(@inner)

          # Neighbouring packages and files always count as inputs, because they differ between projects.
          def only_checked_in_bundle?(*) = false

          # Ignores a changed ctime of a hard-linked file: some packages (esbuild) hard-link a file of another package
          # into their folder, which only changes the ctime.
          def touched?(stat) = super && (stat.nlink == 1 || Inputs.since?(stat.mtime, @since))

          def outside_writes
            path = @traces.flat_map(&:written).find do |at|
              !kept?(at) && !PASSING.match?(at) && !"#{at}/".start_with?(*passing) &&
                ::Spate::Build::Trace::Content.exist?(at)
            end
            "it wrote #{path}" if path
          end

          def kept?(path) = path.start_with?(@folder) && !(@job.left_out && path.start_with?("#{@job.left_out}/"))

          # Excludes folders that contain the project itself.
          def passing = @passing.reject { |place| @folder.start_with?(place) }
        end
      end
    end
  end
end
