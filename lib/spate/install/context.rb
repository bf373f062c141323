# frozen_string_literal: true

module Spate
  module Install
    # Options of the command line, except those that are Bundler's settings (the caller merges them into Settings).
    #
    # jobs:: maximum of builds and unpacking threads, Integer, or nil for the default
    # copy:: copies instead of links; nil if not given
    # local:: no network
    # clean:: remove gems that the bundle does not name
    # refresh:: revalidate all names without checksum at the sources, including those of installed gems
    # rebuild:: names or full names of gems to rebuild, or nil
    # restore:: names or full names of gems to reinstall, :all, or nil
    # resolved:: whether Bundler has just resolved for this install, and written the lockfile
    # background:: the user may be working in the application: evaluating a Gemfile must not change files
    # backlog:: Fetch::Backlog shared with another half, or nil
    Options = Struct.new(:jobs, :copy, :local, :clean, :refresh, :rebuild, :restore, :resolved, :background, :backlog,
                         keyword_init: true) do
      def rebuild?(package) = named?(rebuild, package)
      def restore?(package) = restore == :all || named?(restore, package)

      private

      def named?(names, package) = !names.nil? && (names & [package.name, package.full_name]).any?
    end

    # State shared by all steps of one run, constant during the run.
    class Context
      # MiB. With two threads, the largest real applications stay below 150 MB in total.
      MEMORY = 24

      attr_reader :location, :settings, :store, :layout, :events, :options, :sources
      # Read once, before there are threads: reading the umask briefly changes it, and folders created in that moment
      # would get a wrong mode.
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

      # Memoized: the C store with its pools.
      def native = @native ||= store.native

      # :hard or :copy: from --copy, the setting `spate.copy` (`bundle config set spate.copy true`) or SPATE_COPY=1.
      def link_method = @link_method ||= copy? ? :copy : :hard

      # Number of parallel builds and unpacking threads, from --jobs or the setting; nil for one per processor. At least
      # one, as in Bundler.
      def jobs
        given = options.jobs || settings[:jobs]
        [given.to_i, 1].max if given
      end

      # The queue of fetching and unpacking, shared with the packages' half of the install if that runs.
      def backlog = @backlog ||= options.backlog || Fetch::Backlog.new(unpacking: jobs)

      # Bytes of inflated data that one unpacking thread holds in memory; larger archives are streamed. Set by
      # `spate.memory` (MiB).
      def memory = number("spate.memory", MEMORY) << 20

      # Limits on the content of one archive, as options of the core: those of the settings `spate.max_total` and
      # `spate.max_entry` (MiB) and `spate.max_entries` that are set.
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

      # Whether a signed result is trusted here: callable with a key's id and a Unix time.
      def trusts = @trusts ||= ->(signer, made) { trust.doubt(signer, made).nil? }

      # RemoteCache::Builds for a builder of this bundle.
      def team_builds(builder)
        RemoteCache::Builds.new(store: store, layout: layout, settings: settings, builder: builder, trust: trust)
      end

      # RemoteCache::GemfileChecks of this application.
      def team_checks
        RemoteCache::GemfileChecks.new(location: location, settings: settings, store: store, trust: trust)
      end

      # The trusted signers, loaded only if signed builds exist. An invalid key does not fail an install.
      def trust
        @trust ||= RemoteCache::Trust.from(settings)
      rescue Settings::InvalidValue => e
        events.emit(:warning, message: "#{e.message}; builds signed by others are not used", hint: e.hint)
        @trust = RemoteCache::Trust.new([])
      end

      # vendor/cache of the application.
      def vendor = @vendor ||= Registry::Vendor.for(settings: settings, root: location.root)

      # The mask that RubyGems would apply to the modes of a package's files.
      def mode_mask = @mode_mask ||= Store::PackageKey.mask(layout.rubygems.version, umask)

      # The key of generated files in the store.
      def rubygems_key = layout.rubygems.key

      # Name of a package's manifest in the store. sha256: of its archive.
      def package_key(sha256) = Store::PackageKey.of(sha256, mode_mask)

      # Whether a folder of the store can be renamed into the bundle: on the same file system, and with links.
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
