# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # Queries the team's cache for builds that are missing from the store. If the cache does not respond in time, the
      # builds start as well, and the first result is used.
      #
      # Pipeline's thread calls ask, limit, await and stop. It receives the results through its queue: [:answered,
      # BuildState, Build::Cache::Entry or nil] for each requested build, and [:late, BuildState] after a timeout.
      class Lookup
        # If the cache sends no data for this time (in seconds), the build starts. As long as the cache sends data, the
        # build waits.
        SILENCE_LIMIT = 0.25
        # Maximum seconds to wait for a response, and for the transfer of a build that would take longer to compile.
        TRANSFER = 3.0
        LONGEST = 10.0
        THREADS = 16

        # Returns a Lookup for a builder. It makes no requests if no team cache is configured.
        def self.of(context, builder, results)
          client = context.sources.team unless context.options.local
          facts = { layout: context.layout, store: context.store }
          team = client && RemoteCache::Client::BuildQueries.new(client, context.team_builds(builder), **facts)
          new(team, context.backlog, results)
        end

        # team: RemoteCache::Client::BuildQueries, or nil. backlog: Fetch::Backlog, which unpacks the builds.
        def initialize(team, backlog, results)
          @team = team
          @backlog = backlog
          @results = results
          @requests = Thread::Queue.new
          @senders = []
          @watchers = []
        end

        # Requests a build from the cache, unless it was already requested.
        def ask(build)
          return if @team.nil? || build.asked? || build.state != :needed

          build.ask
          now = Util.now
          @requests << request = Request.new(build, now, now, TRANSFER)
          @senders << Util.quiet_thread { process_requests } if @senders.size < THREADS
          @watchers << Util.quiet_thread { watch(request) }
        end

        # Sets a time limit for the request of a build that has failed.
        def limit(build)
          @watchers << Util.quiet_thread do
            sleep SILENCE_LIMIT + TRANSFER
            @results << [:answered, build, nil]
          end
        end

        # Requests a build and waits for the response, with the usual time limits. Returns the Build::Cache::Entry,
        # which is then in the store, or nil.
        def await(build)
          ask(build)
          until build.ready?
            kind, other, entry = @results.pop
            kind == :late ? other.late : other.answered(entry)
          end
          build.entry
        end

        # Stops all threads. Returns whether any were running.
        def stop
          return false if @senders.empty?

          @requests.close
          @backlog.remove(self)
          [*@senders, *@watchers].each(&:kill).each(&:join)
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
          @team.report_error(error)
          answer(request, nil)
        end

        private

        # sent_at: time of the request. waiting_since: the time since which data from the cache is expected, or nil
        # while its response is checked locally. longest_wait: in seconds.
        Request = Struct.new(:build, :sent_at, :waiting_since, :longest_wait, :answered)
        private_constant :Request

        def process_requests
          while (request = @requests.pop)
            process(request)
          end
        end

        def process(request)
          build = request.build
          offer = @team.choose(build.key, build.full_name, build.checkout) { request.waiting_since = nil }
          return answer(request, nil) unless offer

          request.longest_wait = offer.entry.seconds.to_f.clamp(TRANSFER, LONGEST)
          request.waiting_since = Util.now
          path = @team.fetch(offer) or return answer(request, nil)
          request.waiting_since = nil
          @backlog.add_fetched(self, [request, offer], path)
        rescue StandardError, NoMemoryError => e # otherwise the error would be lost
          @team.report_error(e)
          answer(request, nil)
        end

        def watch(request)
          until request.answered
            left = seconds_left(request)
            return @results << [:late, request.build] unless left.positive?

            sleep left
          end
        end

        # Seconds for which a build must still wait for the cache.
        def seconds_left(request)
          start = request.waiting_since or return SILENCE_LIMIT
          silence = [start, *@team.answered_at].max + SILENCE_LIMIT
          [silence, request.sent_at + request.longest_wait].min - Util.now
        end

        def answer(request, entry)
          request.answered = true
          @results << [:answered, request.build, entry]
        end
      end
    end
  end
end
