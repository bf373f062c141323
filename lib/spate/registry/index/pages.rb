# frozen_string_literal: true

require "digest"

module Spate
  module Registry
    module Index
      # The current /info pages of one remote, for a resolution, which reads hundreds of them. A cached page is current
      # if the remote has published nothing since (Published), or if /versions has its MD5; then no request is sent.
      # Other pages are requested in parallel.
      class Pages
        THREADS = 32
        # The number of cached pages whose requests cost more than /versions.
        WORTHWHILE = 40

        # index: CompactIndex; versions: Versions; offline: only what is cached. The block is called with the error if
        # the remote cannot be reached, and cached pages are used instead.
        def initialize(remote, index:, versions:, offline: false, &unreachable)
          @remote = remote
          @unreachable = unreachable
          @index = index
          @versions = versions
          @offline = offline
          @texts = {}
          @mutex = Mutex.new
        end

        # Names of pages that were read, with their texts (nil if the source has none).
        attr_reader :texts

        # Whether the remote has a compact index.
        def available?
          or_cached do
            @offline ? @index.cached?(@remote) : @index.published?(@remote) || @index.at?(@remote)
          end
        end

        # The text of a gem's page; nil if the source does not list the gem.
        def [](name)
          @texts.fetch(name) { fetch([name])[name] }
        end

        # Reads these pages. Returns the texts of all pages that were read before, and these.
        def fetch(names) = or_cached { bring(names) }

        private

        # Runs the block again with cached pages if the remote cannot be reached.
        def or_cached
          yield
        rescue HTTP::Unreachable => e
          raise if @offline || @unreachable.nil? || !@index.cached?(@remote)

          @offline = true
          @unreachable.call(e)
          yield
        end

        def bring(names)
          wanted = names.uniq.reject { |name| @texts.key?(name) }
          stale = wanted.reject { |name| unchanged(name) }
          return @texts if stale.empty?

          @offline ? recall(stale) : request(verified(stale))
          @texts
        end

        # Takes a page that is known to be current, without a request for it.
        def unchanged(name)
          text = @index.unchanged(@remote, name) unless @offline
          @texts[name] = text if text
        end

        def recall(names) = names.each { |name| @texts[name] = @index.cached(@remote, name) }

        # Takes the cached pages that /versions confirms. Returns the names of the others.
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
          return false if kept.zero? || (kept <= WORTHWHILE && !@versions.cached?(@remote))

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
