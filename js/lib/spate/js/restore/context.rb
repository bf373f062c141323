# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # State shared by all steps of one restore. Constant during the run.
      class Context
        # Bytes of inflated data that an unpacking thread holds at once: a larger archive is inflated twice, and slowly.
        MEMORY = 64 << 20
        # Archives of this inflated size and more are unpacked one at a time: all threads unpack such a one anyway.
        LARGE = 12 << 20

        attr_reader :root, :env, :store, :events, :options

        # configuration: JS::Configuration, or what answers it when called. client: responds to fetch(package, to:) and
        # jobs; the block makes one of the configuration where it is first needed. backlog:
        # Install::Fetch::Backlog that the gems' half shares, or nil.
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
        # Ends what it has begun to ask, if it was ever needed.
        def close_client = (@client.close if @client.respond_to?(:close))

        # Memoised: the C store with its pools.
        def native = @native ||= store.native

        def link_method = @link_method ||= shared_method
        # The method for files that several projects share anyway.
        def shared_method = copy? ? :copy : :hard

        # Call before anything is placed: files that other users may write to must not be shared.
        def share_nothing = (@link_method = :clone unless copy?)

        # How many archives are unpacked at once.
        def unpackers = [options.jobs || Util::Processors.count, 1].max

        # Fetches and unpacks; shared with the gems' installation, if there is one.
        def backlog
          @backlog ||= Install::Fetch::Backlog.new(unpacking: options.jobs, connections: client.jobs)
        end

        # Whether a folder of the store can be renamed into the project: the same file system, and links wanted.
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
