# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # Looks up builds missing from the store in the team's cache. If the cache does not respond in time, the builds
      # run as well, and the first result is used.
      #
      # The deciding thread calls settled?, answered, late and pending?. Results go through its queue: [:answered, item,
      # Build::Cache::Entry or nil] for each requested item, and [:late, item].
      class Lookup
        # Seconds without data after which a build starts; while the cache sends data, the build waits.
        PATIENCE = 0.25
        # Maximum seconds of waiting: for any answer, and for a found build that would take longer to make.
        TRANSFER = 3.0
        LONGEST = 10.0
        THREADS = 16

        # Lookup for a builder. Without a team's cache it makes no requests.
        def self.of(context, builder, results)
          client = context.sources.team unless context.options.local
          facts = { layout: context.layout, store: context.store }
          team = client && RemoteCache::Client::Asking.new(client, context.team_builds(builder), **facts)
          new(team, context.backlog, results)
        end

        # team: RemoteCache::Client::Asking, or nil. backlog: Fetch::Backlog, which unpacks.
        def initialize(team, backlog, results)
          @team = team
          @backlog = backlog
          @results = results
          @states = {}.compare_by_identity # item => :asked, :late, :answered
          @bounds = {}.compare_by_identity # item => maximum seconds of waiting for a found build
          @owed = {}.compare_by_identity # item => time of the pending request; none while checked locally
          @told = {}.compare_by_identity # item => true once it is answered
          @line = Thread::Queue.new
          @askers = []
          @watchers = []
        end

        # Whether there is nothing to wait for. Requests the item if that has not happened.
        def settled?(item)
          return true unless @team

          ask(item) unless @states[item]
          @states[item] != :asked
        end

        # Whether an answer may still come; called for an item whose build failed. An answer arrives within a limit,
        # possibly an empty one.
        def pending?(item)
          return false unless %i[asked late].include?(@states[item])

          @watchers << thread do
            sleep PATIENCE + TRANSFER
            tell(item, nil)
          end
          true
        end

        def late(item) = (@states[item] = :late if @states[item] == :asked)
        def answered(item) = @states[item] = :answered

        # Waits as long as a build would, without other work. Returns the Build::Cache::Entry, now in the store, or nil.
        def await(item)
          until settled?(item)
            kind, other, entry = @results.pop
            kind == :late ? late(other) : answered(other)
          end
          entry if other.equal?(item)
        end

        # Stops all threads. Returns whether there were any.
        def stop
          return false if @askers.empty?

          @line.close
          @backlog.leave(self)
          [*@askers, *@watchers].each(&:kill).each(&:join)
          @team.clean
          true
        end

        # The following methods are called by the Backlog.

        def rank = 0
        def lane(_job, _path) = 0
        def close = @team.close

        def unpack((item, offer), path)
          tell(item, @team.accept(offer, path))
        ensure
          Util::Files.remove(path) if File.exist?(path)
        end

        def failed((item, _offer), error)
          @team.trouble(error)
          tell(item, nil)
        end

        private

        def ask(item)
          @states[item] = :asked
          @owed[item] = Util.now
          @line << item
          @askers << thread { look_all } if @askers.size < THREADS
          @watchers << thread { watch(item) }
        end

        def look_all
          while (item = @line.pop)
            look(item)
          end
        end

        def look(item)
          offer = @team.choose(item.build_key, item.full_name, item.checkout) { @owed.delete(item) }
          return tell(item, nil) unless offer

          @bounds[item] = offer.entry.seconds.to_f.clamp(TRANSFER, LONGEST)
          @owed[item] = Util.now
          path = @team.fetch(offer) or return tell(item, nil)
          @owed.delete(item)
          @backlog.hand(self, [item, offer], path)
        rescue StandardError, NoMemoryError => e # otherwise it would be lost
          @team.trouble(e)
          tell(item, nil)
        end

        def watch(item)
          asked = Util.now
          until @told[item]
            left = left(asked, @owed[item], @bounds.fetch(item, TRANSFER))
            return @results << [:late, item] unless left.positive?

            sleep left
          end
        end

        # Minimum seconds that an item waits.
        def left(asked, owed, bound)
          owed ? [[owed, *@team.heard].max + PATIENCE, asked + bound].min - Util.now : PATIENCE
        end

        def tell(item, entry)
          @told[item] = true
          @results << [:answered, item, entry]
        end

        def thread
          Thread.new do
            Thread.current.report_on_exception = false
            yield
          end
        end
      end
    end
  end
end
