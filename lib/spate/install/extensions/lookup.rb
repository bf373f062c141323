# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # Builds that the store lacks, asked of the team's cache before they are made. While the cache says nothing, for
      # that long, they are built meanwhile: what comes first counts.
      #
      # One thread decides and calls settled?, answered, late and pending?. What comes goes through the queue of
      # results: [:answered, item, Build::Cache::Entry or nil] for each item that was asked for, and [:late, item].
      class Lookup
        # Seconds of silence: as long as anything comes from the cache, a build waits for it.
        PATIENCE = 0.25
        # Seconds that it waits for all: whatever comes, and where it was found and would take longer to build.
        TRANSFER = 3.0
        LONGEST = 10.0
        THREADS = 16

        # For a builder of a bundle: asks nobody where there is nobody to ask.
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
          @bounds = {}.compare_by_identity # item => seconds that it waits for all, once it was found
          @owed = {}.compare_by_identity # item => since when the cache owes something; none while it is looked at here
          @told = {}.compare_by_identity # item => true once it was answered
          @line = Thread::Queue.new
          @askers = []
          @watchers = []
        end

        # Whether there is nothing to wait for. Asks where nobody has.
        def settled?(item)
          return true unless @team

          ask(item) unless @states[item]
          @states[item] != :asked
        end

        # Whether an answer may come yet, for who has no other way left: within a bound one does come, if only that
        # there is none.
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

        # Waits as long as a build does, for who has nothing else to do; answers the Build::Cache::Entry, now in the
        # store, or nil.
        def await(item)
          until settled?(item)
            kind, other, entry = @results.pop
            kind == :late ? late(other) : answered(other)
          end
          entry if other.equal?(item)
        end

        # Nothing runs after this. Answers whether anything did.
        def stop
          return false if @askers.empty?

          @line.close
          @backlog.leave(self)
          [*@askers, *@watchers].each(&:kill).each(&:join)
          @team.clean
          true
        end

        # What follows is for the Backlog.

        def rank = 0
        def lane(_job, _path) = 0
        def close = @team.close

        def unpack((item, offer), path)
          tell(item, @team.accept(offer, path))
        ensure
          Ground::Files.remove(path) if File.exist?(path)
        end

        def failed((item, _offer), error)
          @team.trouble(error)
          tell(item, nil)
        end

        private

        def ask(item)
          @states[item] = :asked
          @owed[item] = now
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
          @owed[item] = now
          path = @team.fetch(offer) or return tell(item, nil)
          @owed.delete(item)
          @backlog.hand(self, [item, offer], path)
        rescue StandardError, NoMemoryError => e # else nobody would hear of it
          @team.trouble(e)
          tell(item, nil)
        end

        def watch(item)
          asked = now
          until @told[item]
            left = left(asked, @owed[item], @bounds.fetch(item, TRANSFER))
            return @results << [:late, item] unless left.positive?

            sleep left
          end
        end

        # Seconds that an item waits at least.
        def left(asked, owed, bound)
          owed ? [[owed, *@team.heard].max + PATIENCE, asked + bound].min - now : PATIENCE
        end

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

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
