# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # The gem sources of one run and the client for them, created on first use.
      class Sources
        # Maximum number of parallel connections.
        CONNECTIONS = 32

        # again: revalidate all cached answers. The block returns the addresses of sources that never change published
        # gems.
        def initialize(settings:, store:, events:, again: false, &unchanging)
          @settings = settings
          @store = store
          @events = events
          @again = again
          @unchanging = unchanging
          @mutex = Mutex.new
        end

        # Like Registry::Remotes#spell, but a run without requests loads no remotes.
        def spell(sources, hidden:, &reveal)
          @mutex.synchronize do
            @spelled = [sources, hidden, reveal]
            @remotes&.spell(sources, hidden: hidden, &reveal)
          end
        end

        # Registry::Remotes.
        def remotes = @mutex.synchronize { @remotes ||= make_remotes }

        # Domains (see Registry::Trust) under which answers about a package's name are stored, in order of priority.
        def domains(package) = package.source.remotes.reverse.map { |remote| remotes.for(remote).domain }

        # Whether a source's answer from this time can be used without a request.
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

        # RemoteCache::Client of the team's cache; nil if there is none or this configuration cannot use it, which does
        # not fail an install.
        def team
          return unless RemoteCache.set?(@settings)

          @mutex.synchronize do
            @team ||= RemoteCache.client(@settings, events: @events).tap(&:greet) unless @refused
          rescue Spate::Error => e
            @refused = true
            @events.emit(:warning, message: "#{e.message}; the cache is not used", hint: e.hint)
            nil
          end
        end

        # Bytes of archives and builds received from the team's cache in this run.
        def team_bytes = @team_bytes.to_i + @team&.tally.to_h.fetch(:bytes, 0)

        # Ends running requests. A later request uses a new client.
        def close
          @mutex.synchronize do
            [@client, @team].compact.each(&:close)
            if @team
              @team.tell_strangers
              @team.tell_failure
              @team_bytes = team_bytes
              RemoteCache::Client::Usage.new(@store, @team.name).add({ **@team.tally, installs: @told ? 0 : 1 })
              @told = true
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
