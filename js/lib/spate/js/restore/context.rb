# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # State shared by all steps of one restore. Constant during the run.
      class Context
        # Bytes of inflated data that an unpacking thread holds in memory. A larger archive is inflated twice, which is
        # slow.
        MEMORY = 64 << 20
        # Archives with at least this inflated size are unpacked one at a time, since each of them uses all threads.
        LARGE = 12 << 20

        attr_reader :root, :env, :store, :events, :options

        # configuration: JS::Configuration, or a callable that returns it. client: responds to fetch(package, to:) and
        # jobs; the block creates one from the configuration on first use. backlog: Install::Fetch::Backlog shared with
        # the gems' half, or nil.
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
        # JS::Configuration, or nil.
        def configuration = @configuration.respond_to?(:call) ? @configuration = @configuration.call : @configuration
        # Ends the client's requests, if there is a client.
        def close_client = (@client.close if @client.respond_to?(:close))

        # Memoized: the C store with its pools.
        def native = @native ||= store.native

        def link_method = @link_method ||= shared_method
        # The link method for files that several projects share in any case.
        def shared_method = copy? ? :copy : :hard

        # Call this before anything is placed: files that other users may write must not be shared.
        def share_nothing = (@link_method = :clone unless copy?)

        # How many archives are unpacked at once.
        def unpackers = [options.jobs || Util::Processors.count, 1].max

        # Fetches and unpacks. Shared with the gems' half of the install, if there is one.
        def backlog
          @backlog ||= Install::Fetch::Backlog.new(unpacking: options.jobs, connections: client.jobs)
        end

        # Whether a folder of the store can be renamed into the project: on the same file system, and with links.
        def trees?
          return @trees if defined?(@trees)

          @trees = link_method == :hard && device(store.root) == device(root)
        end

        # Absolute path for a path of the plan.
        def path(inside) = inside.start_with?("/") ? inside : File.join(root, inside)

        private

        def copy? = options.copy.nil? ? env["SPATE_COPY"] == "1" : options.copy
        def device(path) = File.stat(Util::Files.nearest(path)).dev
      end
    end
  end
end
