# frozen_string_literal: true

module Spate
  module RemoteCache
    # Reads from the cache during one install. Thread-safe. A failure is treated as a miss. After too many failures, the
    # cache is disabled for the run, with a warning.
    class Client
      # Maximum sizes of a document and of a blob, in bytes.
      DOCUMENT = Document::ActionResult::LIMIT
      BLOB = 2 << 30
      # Time limits in seconds for connecting, and for waiting for data of archives and of builds. The limit for
      # archives is shorter, because an install waits for archives, but can compile while it waits for a build.
      CONNECT = 0.25
      ARCHIVES = 0.3
      BUILDS = 5
      # A cache is too slow if it sends less than 8 KiB per second, or takes more than 120 seconds for one response.
      # Then gem sources and compilers are used instead.
      PACE = Spate::HTTP::Meter::Pace.new(8 << 10, 120).freeze
      # Reasons of failures that may be temporary: slow or invalid responses. After MOST of them, requests of that kind
      # are disabled.
      TEMPORARY = %i[slow answer].freeze
      MOST = 3

      # The counters that only change after a response.
      ANSWER_COUNTS = %i[archives builds checks compile_caches misses].freeze
      LISTED_SIGNERS = 3
      TRUST = "spate cache trust NAME:KEY, with the key of that id: `spate cache key` printed both"

      # A kind of requests: its transport, the number of failures, and whether it is disabled.
      Line = Struct.new(:transport, :troubles, :down)
      private_constant :Line, :ANSWER_COUNTS, :LISTED_SIGNERS, :TRUST

      # The block returns a transport with the given time limit in seconds: see RemoteCache.transport.
      def initialize(events: Events.new)
        @archives, @builds = [ARCHIVES, BUILDS].map { |seconds| Line.new(yield(seconds), 0, false) }
        @events = events
        @mutex = Mutex.new
        @tally = Hash.new(0)
        @reasons = Hash.new(0)
      end

      # Opens connections in separate threads before the first request. Requests wait for these threads, so the time to
      # connect to an unreachable cache is spent only once.
      def connect_early
        @mutex.synchronize do
          return if @connecting

          both = [@archives, @builds]
          @connecting = Array.new(MOST) { Thread.new { attempt(both) { @archives.transport.connect } } }
        end
      end

      # The time when data was last received from the cache (monotonic seconds), or nil.
      def answered_at = [@archives, @builds].filter_map { |line| line.transport.answered_at }.max

      # The name of the cache for messages.
      def name = @builds.transport.to_s

      # The counters of this run. archives, builds, checks, compile_caches: numbers of hits. misses, failures, bytes:
      # Integers. seconds: saved compile time. reasons: {reason why an entry could not be used => count}. failure:
      # message or nil.
      def tally = @mutex.synchronize { { **@tally, reasons: @reasons.dup, failure: @failure } }

      # kind: :archives, :builds, :checks, :compile_caches, :seconds or :misses.
      def count(kind, number = 1) = @mutex.synchronize { @tally[kind] += number }

      # Counts a miss. reasons: the reasons why entries in the cache could not be used.
      def count_miss(reasons)
        @mutex.synchronize do
          @tally[:misses] += 1
          reasons.each { |reason| @reasons[reason] += 1 }
        end
        nil
      end

      # The document of a key as bytes, or nil.
      def document(key, kind = "build")
        ask(@builds) { |transport| transport.get(Document.name(key, kind), limit: DOCUMENT) }
      end

      # Writes the archive with this SHA-256 (hex) to the path `to` and verifies it. Returns its size in bytes, or nil.
      def archive(sha256, to:) = ask(@archives) { |transport| blob(transport, sha256, to, BLOB) }

      # Like #archive, for the blob of a build. bytes: its maximum size.
      def build(sha256, bytes, to:) = ask(@builds) { |transport| blob(transport, sha256, to, bytes) }

      # Counts a malformed document as a failure of builds, since the cache may contain more of them. error: Malformed.
      def malformed(error)
        failed([@builds], Unavailable.new(:answer, name, "has an invalid document: #{error.message}"))
      end

      # Prints a warning about an invalid entry or blob of the cache.
      def report_error(error)
        count(:failures)
        @failure = error.message
        hint = error.hint if error.respond_to?(:hint)
        @events.emit(:warning, message: "the team's cache #{name}: #{error.message}", hint: hint)
      end

      # Prints warnings about untrusted signers at the end of a run. Lists only the most frequent ones, since anyone can
      # sign with a new key.
      def warn_of_untrusted_signers
        found = tally[:reasons].filter_map { |reason, count| (id = Trust.untrusted_signer(reason)) && [id, count] }
        found.max_by(LISTED_SIGNERS, &:last).each do |id, count|
          @events.emit(:warning, message: "not used from the team's cache: the signer with the id #{id} is not " \
                                          "trusted here: #{count} #{count == 1 ? "entry" : "entries"}", hint: TRUST)
        end
      end

      # Prints a warning at the end of a run in which all requests failed, if there were too few for an earlier warning.
      # A failure among successful requests is not reported.
      def warn_of_failure
        return if @warned || @fault.nil? || tally.values_at(*ANSWER_COUNTS).any?

        @events.emit(:warning, message: @fault.message, hint: @fault.hint)
      end

      # Aborts all requests immediately.
      def close = [@archives, @builds].each { |line| line.transport.close }

      private

      def blob(transport, sha256, path, limit)
        bytes = transport.fetch("cas/#{sha256}", to: path, limit: limit) or return
        return bytes.tap { count(:bytes, bytes) } if Native.sha256_file(path) == sha256

        Util::Files.remove(path)
        raise Unavailable.new(:answer, name, "sent a blob whose SHA-256 is not cas/#{sha256}")
      rescue Store::Error => e # the install can fetch the content from its source
        raise Unavailable.new(:answer, name, "sent data that cannot be stored: #{e.message}", hint: e.hint)
      end

      def ask(line)
        @connecting&.each(&:join)
        return if line.down

        attempt([line]) { yield(line.transport).tap { |found| count(:misses) unless found } }
      end

      # lines: the kinds of requests (Line) that a failure affects.
      def attempt(lines)
        yield
      rescue Unavailable => e
        failed(lines, e) unless e.reason == :closed
      end

      # A permanent failure disables all kinds of requests.
      def failed(lines, error)
        passing = TEMPORARY.include?(error.reason)
        news = @mutex.synchronize do
          @tally[:failures] += 1
          @failure = error.message
          @fault = error
          lines.each { |line| line.troubles += 1 }
          over = passing ? lines.select { |line| line.troubles >= MOST } : [@archives, @builds]
          next if over.all?(&:down)

          over.each { |line| line.down = true }
          !@warned && @warned = true
        end
        @events.emit(:warning, message: "#{error.message}; continuing without it", hint: error.hint) if news
        nil
      end

      # Requests for builds during an install.
      class BuildQueries
        # builds: Builds.
        def initialize(client, builds, layout:, store:)
          @client = client
          @builds = builds
          @layout = layout
          @store = store
          @paths = Thread::Queue.new # paths of blobs whose transfer has started
        end

        # A usable Builds::Offer, or nil. key: the build key. checkout: the folder name of the gem's git checkout, or
        # nil. Yields after receiving the document and before examining it.
        def choose(key, full_name, checkout = nil)
          document = @client.document(key) or return
          yield
          places = checkout ? Pack::Places.checkout(@layout, full_name, checkout) : Pack::Places.of(@layout, full_name)
          answer = @builds.choose(document, key, places)
          answer.is_a?(Builds::Offer) ? answer : @client.count_miss(answer)
        rescue Malformed => e
          @client.malformed(e)
        end

        # Fetches the offer's blob and returns its path, or nil. The caller removes the file.
        def fetch(offer)
          @paths << path = @store.temporary("blob")
          path if @client.build(offer.blob, offer.bytes, to: path)
        end

        # Adds the build to the store. Returns its Build::Cache::Entry. Raises Refused, Store::Error.
        def accept(offer, path)
          @builds.accept(offer, path).tap do
            @client.count(:builds)
            @client.count(:seconds, offer.entry.seconds.to_f)
          end
        end

        # The time when data was last received from the cache (monotonic seconds), or nil.
        def answered_at = @client.answered_at

        def report_error(error) = @client.report_error(error)

        # Aborts all requests.
        def close = @client.close

        # Removes leftover files of transfers.
        def clean = (Util::Files.remove(@paths.pop) until @paths.empty?)
      end

      # Usage statistics of a cache, summed over all installs on this machine and stored in the store.
      #
      #   installs, archives, builds, checks, compile caches, misses, failures, bytes   Integer
      #   seconds   of compile time saved, Float
      #   reasons   {reason why a cached entry could not be used => count}
      #   failure   message of the last failure, or nil
      class Usage
        KIND = "team"
        NUMBERS = %i[installs archives builds checks compile_caches misses failures bytes seconds].freeze
        # Only this many of the most frequent reasons are stored.
        MOST = 20

        # name: a unique, readable name of the cache: a transport's to_s.
        def initialize(store, name)
          @store = store.writable_store
          @key = Store.sha256(name)
        end

        # {installs: …, reasons: {…}}; counters that were never recorded are 0.
        def to_h
          require "json"
          kept = JSON.parse(@store&.read(KIND, @key) || "{}", symbolize_names: false)
          reasons = kept["reasons"].is_a?(Hash) ? kept["reasons"] : {}
          { **NUMBERS.to_h { |name| [name, kept[name.to_s] || 0] }, reasons: reasons, failure: kept["failure"] }
        rescue JSON::ParserError
          { **NUMBERS.to_h { |name| [name, 0] }, reasons: {}, failure: nil }
        end

        # tally: see Client#tally. Does nothing if the store is not writable, since these numbers are only informative.
        def add(tally)
          return unless @store

          @store.lock("team") do
            before = to_h
            sums = NUMBERS.to_h { |name| [name, before[name] + tally[name].to_i] }
            sums[:seconds] = (before[:seconds] + tally[:seconds].to_f).round(1)
            reasons = before[:reasons].merge(tally[:reasons]) { |_, one, other| one + other }
            text = JSON.generate(**sums, reasons: reasons.max_by(MOST) { |_, count| count }.to_h,
                                         failure: tally[:failure] || before[:failure])
            @store.write(KIND, @key, text)
          end
        end
      end
    end
  end
end
