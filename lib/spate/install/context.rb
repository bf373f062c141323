# frozen_string_literal: true

module Spate
  module Install
    # Options of the command line, except those that override a Bundler setting. The caller merges these into Settings.
    #
    # jobs:: maximum number of parallel builds and of unpacking threads, or nil for the default
    # copy:: copies files instead of linking them; nil if not given
    # local:: does not use the network
    # clean:: removes gems that are not in the lockfile
    # refresh:: queries the sources for the checksums of all gems without one in the lockfile, including installed gems
    # rebuild:: names or full names of gems to rebuild, or nil
    # restore:: names or full names of gems to reinstall, :all, or nil
    # resolved:: whether Bundler has just resolved and written the lockfile for this install
    # background:: the install runs while the user works in the application, so evaluating a Gemfile must not change
    #              files
    # backlog:: Fetch::Backlog shared with the install of node_modules, or nil
    Options = Struct.new(:jobs, :copy, :local, :clean, :refresh, :rebuild, :restore, :resolved, :background, :backlog,
                         keyword_init: true) do
      def rebuild?(package) = named?(rebuild, package)
      def restore?(package) = restore == :all || named?(restore, package)

      private

      def named?(names, package) = !names.nil? && (names & [package.name, package.full_name]).any?
    end

    # Objects and settings shared by all steps of one run. They do not change during the run.
    class Context
      # The default of #memory in MiB. With two threads, installing the largest real applications takes less than 150 MB
      # in total.
      MEMORY = 24

      attr_reader :location, :settings, :store, :layout, :events, :options, :sources
      # Read once, before threads are started. Reading the umask changes it briefly, and a folder created meanwhile
      # would have a wrong mode.
      attr_reader :umask

      def initialize(location:, settings:, store:, events: Events.new, options: Options.new)
        @location = location
        @settings = settings
        @store = store
        @events = events
        @options = options
        @layout = Layout.for(settings, location.root, store: store, lockfile: location.lockfile)
        @sources = Fetch::Sources.new(settings: settings, store: store, events: events, again: options.refresh) do
          layout.rubygems.default_sources
        end
        @umask = File.umask & 0o777
      end

      # The C store with its thread pools.
      def native = @native ||= store.native

      # :hard or :copy: from --copy, the setting `spate.copy` (`bundle config set spate.copy true`) or SPATE_COPY=1.
      def link_method = @link_method ||= copy? ? :copy : :hard

      # The number of parallel builds and of unpacking threads, from --jobs or the setting; at least one, as in Bundler.
      # nil means one per processor.
      def jobs
        given = options.jobs || settings[:jobs]
        [given.to_i, 1].max if given
      end

      # The queue of downloads and unpacking, shared with the install of node_modules if that runs too.
      def backlog = @backlog ||= options.backlog || Fetch::Backlog.new(unpacking: jobs)

      # The maximum size of an inflated archive that an unpacking thread reads into memory, in bytes. Larger archives
      # are streamed. Set by `spate.memory` (in MiB).
      def memory = number("spate.memory", MEMORY) << 20

      # Limits on the content of one archive, as options of the core. Contains only those that are set, by
      # `spate.max_total` and `spate.max_entry` (in MiB) and `spate.max_entries`.
      def limits
        @limits ||= { max_total: 20, max_entry: 20, max_entries: 0 }.filter_map do |name, shift|
          value = number("spate.#{name}", nil)
          [name, value << shift] if value
        end.to_h
      end

      def new_builder
        Build::Builder.new(store: store, layout: layout, settings: settings, events: events, jobs: jobs,
                           trusts: trusts)
      end

      # A lambda that returns whether a signed result is trusted. Arguments: the signing key's id and a Unix time.
      def trusts = @trusts ||= ->(signer, made) { trust.doubt(signer, made).nil? }

      # The RemoteCache::Builds for a builder of this bundle.
      def team_builds(builder)
        RemoteCache::Builds.new(store: store, layout: layout, settings: settings, builder: builder, trust: trust)
      end

      # The RemoteCache::GemfileChecks of this application.
      def team_checks
        RemoteCache::GemfileChecks.new(location: location, settings: settings, store: store, trust: trust)
      end

      # The trusted signers. Loaded only if signed builds exist. An invalid key only causes a warning.
      def trust
        @trust ||= RemoteCache::Trust.from(settings)
      rescue Settings::InvalidValue => e
        events.emit(:warning, message: "#{e.message}; builds signed by others are not used", hint: e.hint)
        @trust = RemoteCache::Trust.new([])
      end

      # The vendor/cache of the application.
      def vendor = @vendor ||= Registry::Vendor.for(settings: settings, root: location.root)

      # The mask that RubyGems applies to the file modes of a package.
      def mode_mask = @mode_mask ||= Store::PackageKey.mask(layout.rubygems.version, umask)

      # The key of generated files in the store.
      def rubygems_key = layout.rubygems.key

      # The name of a package's manifest in the store. sha256: the SHA-256 of its archive.
      def package_key(sha256) = Store::PackageKey.of(sha256, mode_mask)

      # Whether a folder in the store can be renamed into the bundle. This requires hard links and the same file system.
      def trees?
        return @trees if defined?(@trees)

        @trees = link_method == :hard && device(store.root) == device(layout.root)
      end

      private

      def copy?
        return options.copy unless options.copy.nil?

        settings.bool("spate.copy") || settings.env["SPATE_COPY"] == "1"
      end

      def number(name, default)
        value = settings[name] || default
        Settings::Value.integer(value, name) if value
      end

      def device(path) = File.stat(Util::Files.nearest(path)).dev
    end
  end
end
