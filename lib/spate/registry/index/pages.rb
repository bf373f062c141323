# frozen_string_literal: true

require "digest"

module Spate
  module Registry
    module Index
      # The current /info pages of one remote, for a resolution, which reads hundreds of them. A cached page is used
      # without a request if the remote has published nothing since (Published), or if its MD5 matches /versions. Other
      # pages are requested in parallel.
      class Pages
        THREADS = 32
        # From this number of cached pages on, fetching /versions is faster than requesting each page.
        MINIMUM_PAGES = 40

        # index: CompactIndex. versions: Versions. offline: uses only cached pages. If the remote cannot be reached, the
        # block is called with the error, and cached pages are used.
        def initialize(remote, index:, versions:, offline: false, &unreachable)
          @remote = remote
          @unreachable = unreachable
          @index = index
          @versions = versions
          @offline = offline
          @texts = {}
          @mutex = Mutex.new
        end

        # {gem name => text of its page, or nil if the source has none} for all pages read so far.
        attr_reader :texts

        # Whether the remote has a compact index.
        def available?
          with_cache_on_error do
            @offline ? @index.cached?(@remote) : @index.published?(@remote) || @index.at?(@remote)
          end
        end

        # The text of a gem's page, or nil if the source does not list the gem.
        def [](name)
          @texts.fetch(name) { fetch([name])[name] }
        end

        # Names of the gems whose pages are cached.
        def kept_names = @index.names(@remote)

        # Reads these pages. Returns the texts of all pages read so far.
        def fetch(names) = with_cache_on_error { fetch_missing(names) }

        private

        # Runs the block again with cached pages if the remote cannot be reached.
        def with_cache_on_error
          yield
        rescue HTTP::Unreachable => e
          raise if @offline || @unreachable.nil? || !@index.cached?(@remote)

          @offline = true
          @unreachable.call(e)
          yield
        end

        def fetch_missing(names)
          wanted = names.uniq.reject { |name| @texts.key?(name) }
          stale = wanted.reject { |name| unchanged(name) }
          return @texts if stale.empty?

          @offline ? recall(stale) : request(verified(stale))
          @texts
        end

        # Reads a cached page if the remote has published nothing since it was requested.
        def unchanged(name)
          text = @index.unchanged(@remote, name) unless @offline
          @texts[name] = text if text
        end

        def recall(names) = names.each { |name| @texts[name] = @index.cached(@remote, name) }

        # Reads the cached pages whose MD5 matches /versions. Returns the names of the others.
        def verified(names)
          return names unless checksums?(names)

          names.reject do |name|
            text = @index.cached(@remote, name) or next
            next unless Digest::MD5.hexdigest(text) == checksums[name]

            @index.confirm(@remote, name)
            @texts[name] = text
          end
        end

        def checksums?(names)
          return !@checksums.nil? if defined?(@checksums)

          kept = names.count { |name| @index.cached?(@remote, name) }
          return false if kept.zero? || (kept <= MINIMUM_PAGES && !@versions.cached?(@remote))

          !checksums.nil?
        end

        def checksums
          @checksums = @versions.lookup(@remote) unless defined?(@checksums)
          @checksums
        end

        def request(names)
          queue = Queue.new(names).close
          threads = Array.new([names.size, THREADS].min) { Thread.new { work(queue) } }
          threads.each { |thread| thread.report_on_exception = false }
          threads.each(&:join)
        ensure
          threads&.each(&:kill)
        end

        def work(queue)
          while (name = queue.pop)
            text = @index.current(@remote, name)
            @mutex.synchronize { @texts[name] = text }
          end
        end
      end
    end
  end
end
