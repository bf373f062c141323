# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Objects shared by all steps of one restore. They do not change during the run.
      class Context
        # Maximum bytes of inflated data that an unpacking thread keeps in memory. A larger archive is inflated twice,
        # which is slow.
        MEMORY = 64 << 20
        # Archives with at least this inflated size are unpacked one at a time, since each of them uses all threads.
        LARGE = 12 << 20

        attr_reader :root, :env, :store, :events, :options

        # configuration: JS::Configuration, or a callable that returns it. client: responds to fetch(package, to:) and
        # jobs; the block creates one from the configuration on first use. backlog: Install::Fetch::Backlog shared with
        # the installation of gems, or nil.
        def initialize(root:, env:, store:, events:, options:, configuration: nil, client: nil,
                       backlog: nil, &make_client)
          @root = root
          @env = env
          @store = store
          @events = events
          @options = options
          @configuration = configuration
          @client = client
          @backlog = backlog
          @make_client = make_client
          @mutex = Mutex.new
        end

        def client = @mutex.synchronize { @client ||= @make_client.call(configuration) }
        # Returns a JS::Configuration, or nil.
        def configuration = @configuration.respond_to?(:call) ? @configuration = @configuration.call : @configuration
        # Aborts the client's requests, if there is a client.
        def close_client = (@client.close if @client.respond_to?(:close))

        # The C store with its thread pools.
        def native = @native ||= store.native

        def link_method = @link_method ||= shared_method
        # The link method for files in a folder that several projects share.
        def shared_method = copy? ? :copy : :hard

        # Call this before anything is placed if scripts may write to packages: their files must not be shared.
        def share_nothing = (@link_method = :clone unless copy?)

        # Number of archives that are unpacked at the same time.
        def unpackers = [options.jobs || Util::Processors.count, 1].max

        # The queue for fetching and unpacking. Shared with the installation of gems, if there is one.
        def backlog
          @backlog ||= Install::Fetch::Backlog.new(unpacking: options.jobs, connections: client.jobs)
        end

        # Whether a folder of the store can be renamed into the project. Requires the same file system and hard links.
        def trees?
          return @trees if defined?(@trees)

          @trees = link_method == :hard && device(store.root) == device(root)
        end

        # The absolute path for a path of the plan.
        def path(inside) = inside.start_with?("/") ? inside : File.join(root, inside)

        private

        def copy? = options.copy.nil? ? env["SPATE_COPY"] == "1" : options.copy
        def device(path) = File.stat(Util::Files.nearest(path)).dev
      end
    end
  end
end
