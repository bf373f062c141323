# frozen_string_literal: true

module Spate
  module Registry
    # Fetches archives from gem sources. One for a run, used by as many threads as the caller likes.
    class Client
      # Requests at the same time that serve best; see docs/sources.md for the measurement.
      JOBS = 32
      # MiB. Gem sources allow half of it at most.
      MAX_DOWNLOAD = 1024
      FULL_NAME = /\A[a-zA-Z0-9_][\w.-]*\z/

      # settings: Spate::Settings (or what answers [], mirror_for and credentials_for). sources: as the Gemfile spells
      # them, for the credentials that a lockfile leaves out. home: Spate's folder. retry_base: seconds of the first
      # wait.
      def initialize(settings:, events: Events.new, env: ENV, jobs: JOBS, sources: [], home: nil, retry_base: 0.5)
        @settings = settings
        @events = events
        @env = env.to_h
        @jobs = jobs
        @connections = connect
        @retries = Retries.new(times: settings[:retry] || 3, base: retry_base) { |error, wait| tell_retry(error, wait) }
        exchange = Exchange.new(@connections, redirects: settings[:redirect] || 5, agent: agent)
        @download = Download.new(exchange, @retries, limit: limit)
        @remotes = Remotes.new(settings: settings, netrc: netrc, spelled: sources)
        kept = { exchange: exchange, retries: @retries, folder: File.join(home || Store::Home.find(@env), "index") }
        @index = CompactIndex.new(**kept)
        @versions = Versions.new(**kept)
        @unindexed = {}
      end

      # How many threads to fetch with.
      attr_reader :jobs

      # Fetches a package's archive to the path `to`, which it gets only when all is well. sha256: what the lockfile
      # says; without, the source's index is asked. Returns a FetchResult.
      # Raises ChecksumMismatch, NotAnArchive, NotFound and the network's errors (see errors.rb).
      def fetch(package, to:, sha256: package.sha256)
        name = package.full_name
        raise NotFound.new(name, remotes(package), "that is no gem's name") unless FULL_NAME.match?(name)

        remote, listed, sha256 = choose(package, sha256)
        @events.emit(:fetch_start, name: name, bytes: nil, source: remote.source)
        result = save(package, remote, to, sha256, listed)
        @events.emit(:fetch_done, name: name, bytes: result.bytes, source: remote.source)
        result
      end

      # SHA-256 (hex) that the source's compact index has for the package, nil where it has none.
      def checksum(package)
        remotes(package).each do |remote|
          found = @index.find(remote, package)
          return found.sha256 if found
        end
        nil
      end

      # All archives of a gem at a source (a lockfile's GemSource, or an address): Array of Info, of the first remote
      # that knows the gem; empty where none does.
      def versions(name, source)
        addresses(source).each do |address|
          found = @index.all(@remotes.for(address), name)
          return found if found
        end
        []
      end

      # What a remote (its address) has at all: { gem name => MD5 of its /info page }, nil without a compact index.
      # Hundreds of thousands of names: an install asks #checksum instead.
      def gems(address) = @versions.checksums(@remotes.for(address))

      # Gives up at once what is under way: its threads raise Cancelled.
      def close
        @retries.cancel
        @connections.close
      end

      private

      # The remote that has the package, what its index says (Info or nil), and the SHA-256 to expect with who says so.
      def choose(package, sha256)
        candidates = remotes(package)
        return [candidates.first, nil, [sha256, :lockfile]] if sha256 && candidates.one?

        candidates.each do |remote|
          found = @index.find(remote, package) or next
          return [remote, found, sha256 ? [sha256, :lockfile] : [found.sha256, :index]]
        end
        remote = candidates.find { |candidate| !@index.at?(candidate) }
        raise NotFound.new(package.full_name, candidates, "the index does not list it") unless remote

        tell_unindexed(remote) unless sha256
        [remote, nil, [sha256, :lockfile]]
      end

      def save(package, remote, to, (sha256, origin), listed)
        @download.save(remote, "gems/#{package.full_name}.gem", to: to) do |path, bytes|
          oddity = Archive.oddity(path)
          raise NotAnArchive.new(package.full_name, source: remote.source, found: oddity) if oddity

          got = Archive.sha256(path)
          verify(package, remote, got, sha256, origin, listed)
          FetchResult.new(bytes, got, remote.source, sha256 ? origin : :archive)
        end
      rescue Status::Missing => e
        raise NotFound.new(package.full_name, [remote], e.message)
      end

      def verify(package, remote, got, expected, origin, listed)
        return if expected.nil? || got == expected.downcase
        return if origin == :index && @settings[:disable_checksum_validation]
        # A kept page of the index may be older than the archive (private sources let a version be pushed again).
        return if listed && origin == :index && @index.find(remote, package, fresh: true)&.sha256 == got

        word = origin == :lockfile ? "CHECKSUMS of the lockfile" : "the index of #{remote.source}"
        raise ChecksumMismatch.new(package.full_name, expected: expected, got: got, source: remote.source, origin: word)
      end

      def remotes(package) = addresses(package.source).map { |address| @remotes.for(address) }

      # Of several remotes in one section the last one is asked first, as Bundler does.
      def addresses(source) = source.respond_to?(:remotes) ? source.remotes.reverse : [source.to_s]

      def connect
        gemrc = Gemrc.load(@env)
        Connections.new(proxy: Proxy.new(env: @env, gemrc: gemrc["http_proxy"]),
                        certificates: Certificates.new(settings: @settings, gemrc: gemrc),
                        timeout: @settings[:timeout] || 10)
      end

      # Bytes that an archive may have at most.
      def limit = Settings::Value.integer(@settings["spate.max_download"] || MAX_DOWNLOAD, "spate.max_download") << 20

      def netrc
        Netrc.load(@env) { |message, hint| @events.emit(:warning, message: message, hint: hint) }
      end

      def agent
        ["spate/#{VERSION}", "ruby/#{RUBY_VERSION}", "(#{RUBY_PLATFORM})", @settings[:user_agent]].compact.join(" ")
      end

      def tell_retry(error, seconds)
        @events.emit(:fetch_retry, message: error.message, seconds: seconds.round(1))
      end

      def tell_unindexed(remote)
        return if @unindexed[remote.source]

        @unindexed[remote.source] = true
        message = "#{remote.source} has no compact index: its gems are unverified where CHECKSUMS of the lockfile " \
                  "does not name them"
        @events.emit(:warning, message: message, hint: "bundle lock --add-checksums")
      end
    end
  end
end
