# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # Builds that the store lacks, asked of the team's cache before they are made. Whoever is not answered within a
      # bound is built meanwhile: what comes first counts.
      #
      # One thread decides and calls settled?, answered, late and pending?. What comes goes through the queue of
      # results: [:answered, item, Build::Cache::Entry or nil] for each item that was asked for, and [:late, item].
      class Lookup
        # Seconds that a build waits for the answer whether there is one, and for what was found to be here.
        PATIENCE = 0.25
        TRANSFER = 3.0
        THREADS = 8

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
          @found = {}.compare_by_identity # item => true once there is something
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
        def first?(_job, _path) = true
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
          offer = @team.choose(item.build_key, item.full_name, item.checkout) { @found[item] = true }
          return tell(item, nil) unless offer

          path = @team.fetch(offer) or return tell(item, nil)
          @backlog.hand(self, [item, offer], path)
        rescue StandardError, NoMemoryError => e # else nobody would hear of it
          @team.trouble(e)
          tell(item, nil)
        end

        def watch(item)
          sleep PATIENCE
          sleep TRANSFER if @found[item]
          @results << [:late, item]
        end

        def tell(item, entry) = @results << [:answered, item, entry]

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
