# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # Looks up builds missing from the store in the team's cache. If the cache does not respond in time, the builds
      # start as well, and the first result is used.
      #
      # The deciding thread calls ask, limit, await and stop. Results go through its queue: [:answered, BuildState,
      # Build::Cache::Entry or nil] for each requested build, and [:late, BuildState].
      class Lookup
        # Seconds without data after which a build starts. As long as the cache sends data, the build waits.
        PATIENCE = 0.25
        # Maximum seconds to wait for an answer, and for the transfer of a build that would take longer to make.
        TRANSFER = 3.0
        LONGEST = 10.0
        THREADS = 16

        # Lookup for a builder. Makes no requests without a team cache.
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
          @requests = Thread::Queue.new
          @askers = []
          @watchers = []
        end

        # Requests a needed build, only once.
        def ask(build)
          return if @team.nil? || build.asked? || build.state != :needed

          build.ask
          now = Util.now
          @requests << request = Request.new(build, now, now, TRANSFER)
          @askers << Util.quiet_thread { look_all } if @askers.size < THREADS
          @watchers << Util.quiet_thread { watch(request) }
        end

        # Sets a time limit for the request of a build that has failed.
        def limit(build)
          @watchers << Util.quiet_thread do
            sleep PATIENCE + TRANSFER
            @results << [:answered, build, nil]
          end
        end

        # Waits for the entry for as long as a build would wait, without doing other work. Returns the
        # Build::Cache::Entry, which is then in the store, or nil.
        def await(build)
          ask(build)
          until build.ready?
            kind, other, entry = @results.pop
            kind == :late ? other.late : other.answered(entry)
          end
          build.entry
        end

        # Stops all threads. Returns whether there were any.
        def stop
          return false if @askers.empty?

          @requests.close
          @backlog.leave(self)
          [*@askers, *@watchers].each(&:kill).each(&:join)
          @team.clean
          true
        end

        # The following methods are called by the Backlog.

        def rank = 0
        def lane(_job, _path) = 0
        def close = @team.close

        def unpack((request, offer), path)
          answer(request, @team.accept(offer, path))
        ensure
          Util::Files.remove(path) if File.exist?(path)
        end

        def failed((request, _offer), error)
          @team.trouble(error)
          answer(request, nil)
        end

        private

        # asked: time of the request. owed: the time since which the cache has to send data; nil while its answer is
        # checked locally. bound: maximum seconds of waiting.
        Request = Struct.new(:build, :asked, :owed, :bound, :answered)
        private_constant :Request

        def look_all
          while (request = @requests.pop)
            look(request)
          end
        end

        def look(request)
          build = request.build
          offer = @team.choose(build.key, build.full_name, build.checkout) { request.owed = nil }
          return answer(request, nil) unless offer

          request.bound = offer.entry.seconds.to_f.clamp(TRANSFER, LONGEST)
          request.owed = Util.now
          path = @team.fetch(offer) or return answer(request, nil)
          request.owed = nil
          @backlog.hand(self, [request, offer], path)
        rescue StandardError, NoMemoryError => e # otherwise the error would be lost
          @team.trouble(e)
          answer(request, nil)
        end

        def watch(request)
          until request.answered
            left = left(request)
            return @results << [:late, request.build] unless left.positive?

            sleep left
          end
        end

        # Minimum seconds that a build waits.
        def left(request)
          owed = request.owed or return PATIENCE
          [[owed, *@team.answered_at].max + PATIENCE, request.asked + request.bound].min - Util.now
        end

        def answer(request, entry)
          request.answered = true
          @results << [:answered, request.build, entry]
        end
      end
    end
  end
end
