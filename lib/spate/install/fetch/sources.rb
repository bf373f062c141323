# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # The gem sources of one run and their client. Both are created on first use.
      class Sources
        # Maximum number of parallel connections.
        CONNECTIONS = 32

        # again: whether to revalidate all cached responses. The block returns the addresses of sources that never
        # change published gems.
        def initialize(settings:, store:, events:, again: false, &unchanging)
          @settings = settings
          @store = store
          @events = events
          @again = again
          @unchanging = unchanging
          @mutex = Mutex.new
        end

        # Like Registry::Remotes#spell, but without requests it does not load Registry::Remotes.
        def spell(sources, hidden:, &reveal)
          @mutex.synchronize do
            @spelled = [sources, hidden, reveal]
            @remotes&.spell(sources, hidden: hidden, &reveal)
          end
        end

        # Registry::Remotes.
        def remotes = @mutex.synchronize { @remotes ||= make_remotes }

        # The domains (see Registry::Trust) under which checksums of a package are stored, in order of priority.
        def domains(package) = package.source.remotes.reverse.map { |remote| remotes.for(remote).domain }

        # Whether a source's response from this time can be used without a request.
        def fresh?(source, time) = remotes.freshness.still?(remotes.for(source), time)

        # Registry::Client.
        def client
          Util::Openssl.load
          known = remotes
          @mutex.synchronize do
            @client ||= Registry::Client.new(settings: @settings, events: @events, home: @store.home, remotes: known,
                                             env: @settings.env, jobs: CONNECTIONS)
          end
        end

        # The RemoteCache::Client of the team's cache, or nil if none is configured. An invalid configuration does not
        # fail the install: it causes a warning and returns nil.
        def team
          return unless RemoteCache.set?(@settings)

          @mutex.synchronize do
            @team ||= RemoteCache.client(@settings, events: @events).tap(&:connect_early) unless @refused
          rescue Spate::Error => e
            @refused = true
            @events.emit(:warning, message: "#{e.message}; the cache is not used", hint: e.hint)
            nil
          end
        end

        # The size of all archives and builds received from the team's cache in this run, in bytes.
        def team_bytes = @team_bytes.to_i + @team&.tally.to_h.fetch(:bytes, 0)

        # Aborts running requests. A later request uses a new client.
        def close
          @mutex.synchronize do
            [@client, @team].compact.each(&:close)
            if @team
              @team.warn_of_untrusted_signers
              @team.warn_of_failure
              @team_bytes = team_bytes
              RemoteCache::Client::Usage.new(@store, @team.name).add({ **@team.tally, installs: @counted ? 0 : 1 })
              @counted = true
            end
            @client = @team = nil
          end
        end

        private

        def make_remotes
          facts = { settings: @settings, env: @settings.env, home: @store.home,
                    freshness: Registry::Index::Freshness.new(again: @again, &@unchanging) }
          remotes = Registry::Remotes.new(**facts) do |text, hint|
            @events.emit(:warning, message: text, hint: hint)
          end
          sources, hidden, reveal = @spelled
          remotes.spell(sources, hidden: hidden, &reveal) if sources
          remotes
        end
      end
    end
  end
end
