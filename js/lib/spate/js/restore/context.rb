# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # What every step of one restore shares. Nothing in it changes during the run.
      class Context
        # Bytes of inflated data that an unpacking thread holds at once: a larger archive is inflated twice, and slowly.
        MEMORY = 64 << 20
        # From so many on, archives take turns: all threads unpack such a one anyway.
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
        # Of what several projects have one of anyway.
        def shared_method = copy? ? :copy : :hard

        # To be told before anything is placed: files that anybody may write into are shared with nobody.
        def share_nothing = (@link_method = :clone unless copy?)

        # How many archives are unpacked at once.
        def unpackers = [options.jobs || processors, 1].max

        # What fetches and unpacks: the other half's, where there is one.
        def backlog
          @backlog ||= Install::Fetch::Backlog.new(unpacking: options.jobs, connections: client.jobs)
        end

        # Whether a folder of the store can be renamed into the project: the same file system, and links wanted.
        def trees?
          return @trees if defined?(@trees)

          @trees = link_method == :hard && device(store.root) == device(root)
        end

        # Absolute path of a plan's.
        def path(inside) = inside.start_with?("/") ? inside : File.join(root, inside)

        private

        def copy? = options.copy.nil? ? env["SPATE_COPY"] == "1" : options.copy
        def device(path) = File.stat(Ground::Files.nearest(path)).dev

        def processors = Native.processors
      end
    end
  end
end
