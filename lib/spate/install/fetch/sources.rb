# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # The gem sources of one run: how each is to be asked, and the client that asks, made when it is first needed.
      class Sources
        # Connections at the same time.
        CONNECTIONS = 32

        # again: believes nothing without asking. The block answers addresses of sources that never change what they
        # published.
        def initialize(settings:, store:, events:, again: false, &unchanging)
          @settings = settings
          @store = store
          @events = events
          @again = again
          @unchanging = unchanging
          @mutex = Mutex.new
        end

        # As Registry::Remotes#spell; a run that asks for no source loads nothing for it.
        def spell(sources, hidden:, &reveal)
          @mutex.synchronize do
            @spelled = [sources, hidden, reveal]
            @remotes&.spell(sources, hidden: hidden, &reveal)
          end
        end

        # Registry::Remotes.
        def remotes = @mutex.synchronize { @remotes ||= make_remotes }

        # Domains (see Registry::Trust) under which the answers to a package's name are kept, the first to be asked
        # first.
        def domains(package) = package.source.remotes.reverse.map { |remote| remotes.for(remote).domain }

        # Whether what a source said at a time counts unasked.
        def fresh?(source, time) = remotes.freshness.still?(remotes.for(source), time)

        # Registry::Client.
        def client
          Ground::Openssl.load
          known = remotes
          @mutex.synchronize do
            @client ||= Registry::Client.new(settings: @settings, events: @events, home: @store.home, remotes: known,
                                             env: @settings.env, jobs: CONNECTIONS)
          end
        end

        # RemoteCache::Client of the team's cache; nil where there is none, or none that can be asked as this machine is
        # set up: that costs no install.
        def team
          return unless RemoteCache.set?(@settings)

          @mutex.synchronize do
            @team ||= RemoteCache.client(@settings, events: @events).tap(&:greet) unless @refused
          rescue Spate::Error => e
            @refused = true
            @events.emit(:warning, message: "#{e.message}; it is not asked", hint: e.hint)
            nil
          end
        end

        # What came from the team's cache so far, archives and builds.
        def team_bytes = @team_bytes.to_i + @team&.tally.to_h.fetch(:bytes, 0)

        # Ends what is under way; whoever asks later gets another client.
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
