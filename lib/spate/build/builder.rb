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
        @keys = Key.new(store: store, layout: layout, environment: @environment,
                        toolchain: Toolchain.new(store, @environment))
        @mutex = Mutex.new
      end

      # The key (hex) of a package's build. facts: Install::Facts. dependencies: SHA-256s of the archives of all gems
      # that it depends on, directly or not. gem_dir: where it lies unpacked, if the store does not have it.
      def key(package, facts, dependencies, archive_sha256: package.sha256, gem_dir: nil)
        @keys.for(package.full_name, archive_sha256, facts.extensions, arguments: arguments(package.name),
                                                                       dependencies: dependencies, gem_dir: gem_dir)
      end

      # Native::Manifest of the stored build, its paths relative to the bundle's folder; nil where there is none, or
      # where a library that it links against is gone (a warning says which). Starts no process.
      def reuse(key)
        manifest = @store.build(key) || @store.build(Key.rooted(key, @layout.root)) or return
        record = Record.parse(manifest.facts)
        missing = @libraries.missing(record.libraries)
        return manifest if missing.empty?

        @events.emit(:warning, message: "#{record.full_name}: built against #{missing.join(", ")}, no longer found",
                               hint: "it is built again")
        nil
      end

      # Paths of the package, relative to the bundle's folder, that a stored build wants gone.
      def self.removed(manifest) = Record.parse(manifest.facts).removed

      # Builds in gem_dir, a private copy of the package's files, into extension_dir (both in the layout's root), and
      # stores the result. The gemspec is a path, or its text in Ruby. package_manifest: of the package in the store, or
      # nil. Waits for a free job, and where another process builds the same for its result, which is then put in
      # place. Answers a Result. Raises BuildError, Interrupted.
      def build(package:, facts:, gem_dir:, extension_dir:, key:, spec_path: nil, specification: nil,
                package_manifest: nil, keep: false)
        job = Job.new(package: package, gem_dir: gem_dir, extension_dir: extension_dir, key: key, spec_path: spec_path,
                      specification: specification, archive_sha256: package_manifest&.sha256 || package.sha256,
                      loaded: facts.require_paths.map { |path| File.expand_path(path, gem_dir) },
                      arguments: arguments(package.name), keep: keep)
        workshop.build(job)
      end

      # Ends all running builds; later ones do not start. Not from a trap handler: from a thread.
      def cancel = workshop.cancel

      private

      def arguments(name) = Arguments.parse(@settings.build_flags(name))

      def workshop
        @mutex.synchronize do
          @workshop ||= Workshop.new(store: @store, layout: @layout, events: @events, environment: @environment,
                                     libraries: @libraries, reuse: method(:reuse), **@shop)
        end
      end
    end
  end
end
