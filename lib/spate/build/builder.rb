# frozen_string_literal: true

module Spate
  module Build
    # What the installer calls: the key of a build, the stored result for it, and the build itself. Thread safe. The
    # first two are on the way of every install; what really builds (Workshop) is loaded when something must be built.
    class Builder
      # layout: Layout, settings: Settings. jobs: how many at once, nil for the machine's processors; or a jobserver.
      def initialize(store:, layout:, settings:, events: Events.new, jobserver: nil, jobs: nil, ruby: nil, env: ENV)
        @store = store
        @layout = layout
        @settings = settings
        @events = events
        @shop = { jobserver: jobserver, jobs: jobs, ruby: ruby }
        @environment = Environment.new(env)
        @libraries = Libraries.new(@environment)
        @shelf = Shelf.new(store, layout.root, events: events)
        @forgotten = @shelf.forgotten
        @toolchain = Toolchain.new(store, @environment)
        @keys = Key.new(layout: layout, environment: @environment, toolchain: @toolchain)
        @native = {} # own key => whether what is known before names a processor
        @mutex = Mutex.new
      end

      # The key (hex) of a package's build, apart from other builds that it sees (Key.seeing). facts: Install::Facts.
      # dependencies: SHA-256s of the archives of all gems that it depends on, directly or not. gem_dir: where it lies
      # unpacked, if the store does not have it.
      def key(package, facts, dependencies, archive_sha256: package.sha256, gem_dir: nil)
        inputs = inputs(archive_sha256, facts.extensions, dependencies, gem_dir)
        cargo = inputs.rust ? Cargo.configuration(@layout.root, @environment) : ""
        @keys.for(package.full_name, archive_sha256, inputs,
                  arguments: arguments(package.name), dependencies: dependencies, cargo: cargo,
                  word: @forgotten.word(package.full_name)).tap do |key|
          @native[key] = inputs.processor || Processor.named?("#{cargo}#{@environment.text(inputs.variables)}")
        end
      end

      # Stored; nil where there is none, or where it would not come out the same now: a library that it links against
      # is gone, a file that it did without is there (a warning says which). That one is then forgotten. Starts no
      # process.
      def reuse(key)
        stored = @shelf.find(key) or return
        record = stored.record
        reason = outdated(record) or return stored

        @events.emit(:warning, message: "#{record.full_name}: #{reason}", hint: "it is built again")
        @forgotten.forget(record.full_name, stored.key) if @shelf.home
        nil
      end

      # Paths of the package, relative to the bundle's folder, that a stored build wants gone.
      def self.removed(manifest) = Record.parse(manifest.facts).removed

      # Builds in gem_dir, a private copy of the package's files, into extension_dir (both in the layout's root), and
      # stores the result. The gemspec is a path, or its text in Ruby. package_manifest: of the package in the store, or
      # nil. own, more: see Job. Waits for a free job, and where another process builds the same for its result, which
      # is then put in place. Answers a Result. Raises BuildError, Interrupted.
      def build(package:, facts:, gem_dir:, extension_dir:, key:, spec_path: nil, specification: nil,
                package_manifest: nil, own: key, **more)
        job = Job.new(package: package, gem_dir: gem_dir, extension_dir: extension_dir, key: key, spec_path: spec_path,
                      specification: specification, archive_sha256: package_manifest&.sha256 || package.sha256,
                      loaded: facts.require_paths.map { |path| File.expand_path(path, gem_dir) },
                      arguments: arguments(package.name), own: own, processor: @native[own], **more)
        workshop.build(job)
      end

      # Ends all running builds; later ones do not start. Not from a trap handler: from a thread.
      def cancel
        running = @mutex.synchronize do
          @cancelled = true
          @workshop
        end
        running&.cancel
      end

      private

      def inputs(sha256, extensions, dependencies, gem_dir)
        archives = [sha256, *dependencies.grep(Store::SHA256).sort]
        Inputs.of(@store, Store.sha256(archives.join(" ")), extensions) do
          files = archives.map { |each| Files::Package.new(@store, package(each)) }
          files[0] = Files::Folder.new(gem_dir) if gem_dir
          files
        end
      end

      def package(sha256) = @store.package_keys(sha256).first&.then { |key| @store.package(key) }

      def arguments(name) = Arguments.parse(@settings.build_flags(name))

      def workshop
        @mutex.synchronize do
          raise Interrupted, "interrupted" if @cancelled

          @workshop ||= Workshop.new(store: @store, shelf: @shelf, layout: @layout, events: @events,
                                     environment: @environment, recorder: recorder, reuse: method(:reuse), **@shop)
        end
      end

      def recorder = Recorder.new(@shelf.home, @libraries, @toolchain, @layout.root)

      # Why a stored build would come out otherwise now, or nil.
      def outdated(record)
        missing = @libraries.missing(record.libraries)
        return "built against #{missing.join(", ")}, no longer found" if missing.any?

        found = Absent.found(record.absent)
        "built without #{found.join(", ")}, which #{found.one? ? "is" : "are"} there now" if found.any?
      end
    end
  end
end
