# frozen_string_literal: true

module Spate
  module Registry
    # Fetches archives from gem sources. Thread-safe; each run has one.
    class Client
      # The best number of simultaneous requests, as measured in docs/sources.md.
      JOBS = 32
      # Maximum size of an archive in MiB. Gem sources accept archives of at most half this size.
      MAX_DOWNLOAD = 1024
      FULL_NAME = /\A[a-zA-Z0-9_][\w.-]*\z/

      # The SHA-256 of a package's archive according to its source, and the domain (see Trust) in which it is valid.
      Listing = Struct.new(:sha256, :domain)

      # A fetched archive.
      #
      # bytes::    Integer, its size
      # sha256::   hex
      # source::   String, the source's address as written in the lockfile
      # verified:: the source of the checksum: :lockfile (CHECKSUMS), :index (the source's compact index), or :archive
      #            (only the checksums in the archive itself, which do not authenticate it)
      # domain::   the source's domain (see Trust) if the source verified the archive, otherwise nil
      Result = Struct.new(:bytes, :sha256, :source, :verified, :domain)

      # settings: Spate::Settings (or anything with [], bool, mirror_for and credentials_for). remotes: Remotes; if not
      # given, `sources` are the Gemfile's sources with the credentials that a lockfile lacks. home: Spate's folder.
      # retry_base: seconds to wait before the first retry.
      def initialize(settings:, events: Events.new, env: ENV, jobs: JOBS, sources: [], home: nil, retry_base: 0.5,
                     remotes: nil)
        @settings = settings
        @events = events
        @jobs = jobs
        home ||= Util::StorePlace.home(env)
        @remotes = remotes || Remotes.new(settings: settings, env: env.to_h, home: home) { |*facts| warn(*facts) }
        @remotes.spell(sources) unless remotes
        @connections = HTTP::Connections.new(proxy: @remotes.proxy, certificates: @remotes.certificates,
                                             timeout: settings[:timeout] || 10)
        @retries = Util::Retries.new(times: settings[:retry] || 3, base: retry_base) do |error, wait|
          warn_of_retry(error, wait)
        end
        http = HTTP::Client.new(@connections, redirects: settings[:redirect] || 5, agent: agent)
        @download = HTTP::Download.new(http, @retries, limit: limit)
        kept = { http: http, retries: @retries, folder: File.join(home, "index") }
        @index = Index::CompactIndex.new(freshness: @remotes.freshness, **kept)
        @versions = Index::Versions.new(**kept)
        @seen = Index::ArchiveValidators.new(**kept)
        @unindexed = {}
        @mutex = Mutex.new
      end

      # The number of threads that should fetch.
      attr_reader :jobs

      # Fetches a package's archive to the path `to`, which is created only if the archive is valid. sha256: the
      # checksum in the lockfile; if nil, uses the source's index. Returns a Result. Raises ChecksumMismatch,
      # NotAnArchive, NotFound and network errors (see http/errors.rb).
      def fetch(package, to:, sha256: package.sha256)
        name = package.full_name
        raise NotFound.new(name, remotes(package), "invalid gem name") unless FULL_NAME.match?(name)

        remote, listed, sha256 = choose(package, sha256)
        @events.emit(:fetch_start, name: name, bytes: nil, source: remote.source)
        result = save(package, remote, to, sha256, listed)
        @events.emit(:fetch_done, name: name, bytes: result.bytes, source: remote.source)
        result
      end

      # The Listing of a package from the compact index. If there is no index or it has no checksum, returns the Listing
      # of the last fetched archive, if the source confirms that it has not changed. nil if the archive must be fetched.
      # tries: number of retries; by default from the settings. Raises NotFound if all sources have an index and none
      # lists the package.
      def listing(package, tries: nil)
        return unless FULL_NAME.match?(package.full_name)

        unindexed = remotes(package).reject do |remote|
          info = @index.find(remote, package, tries: tries)
          next @index.at?(remote) unless info

          return (info.sha256 if sums_count?)&.then { |sha256| Listing.new(sha256, remote.domain) } ||
                 unchanged(remote, package, tries)
        end
        raise not_listed(package) if unindexed.empty?

        unindexed.lazy.filter_map { |remote| unchanged(remote, package, tries) }.first
      end

      # [Index::Info] for all archives of a gem at a source, which is a lockfile's GemSource or an address. Uses the
      # first remote that has the gem; empty if none has it.
      def versions(name, source)
        addresses(source).each do |address|
          found = @index.all(@remotes.for(address), name)
          return found if found
        end
        []
      end

      # { gem name => MD5 of its /info page } for all gems of a remote (its address), or nil if it has no compact index.
      # An install uses #listing instead, since there may be hundreds of thousands of gems.
      def gems(address) = @versions.checksums(@remotes.for(address))

      # The Index::Pages of a source (its address as in the Gemfile), for a resolution.
      def pages(address, offline: false, &unreachable)
        Index::Pages.new(@remotes.for(address), index: @index, versions: @versions, offline: offline, &unreachable)
      end

      # Aborts all requests immediately. Their threads raise Util::Cancelled.
      def close
        @retries.cancel
        @connections.close
      end

      private

      # [the remote that has the package, the Index::Info from its index or nil, [expected SHA-256, its origin]]
      def choose(package, sha256)
        candidates = remotes(package)
        return [candidates.first, nil, [sha256, :lockfile]] if sha256 && candidates.one?

        candidates.each do |remote|
          found = @index.find(remote, package) or next
          return [remote, found, sha256 ? [sha256, :lockfile] : [(found.sha256 if sums_count?), :index]]
        end
        remote = candidates.find { |candidate| !@index.at?(candidate) }
        raise not_listed(package) unless remote

        warn_of_missing_index(remote) unless sha256
        [remote, nil, [sha256, :lockfile]]
      end

      def not_listed(package)
        NotFound.new(package.full_name, remotes(package), "the index does not list it")
      end

      def unchanged(remote, package, tries)
        sha256 = @seen.still(remote, package.full_name, tries: tries)
        sha256 && Listing.new(sha256, remote.domain)
      end

      def sums_count? = @remotes.trust.sums_count?

      def save(package, remote, to, (sha256, origin), listed)
        @download.save(remote, "gems/#{package.full_name}.gem", to: to) do |path, bytes, head|
          problem = Archive.problem(path)
          raise NotAnArchive.new(package.full_name, source: remote.source, found: problem) if problem

          got = Archive.sha256(path)
          verify(package, remote, got, sha256, origin, listed)
          vouched = sha256 ? origin : :archive
          @seen.note(remote, package.full_name, got, head) if vouched == :archive
          Result.new(bytes, got, remote.source, vouched, vouched == :lockfile ? nil : remote.domain)
        end
      rescue HTTP::Status::Missing => e
        raise NotFound.new(package.full_name, [remote], e.message)
      end

      def verify(package, remote, got, expected, origin, listed)
        return if expected.nil? || got == expected.downcase
        # The cached index page may be older than the archive, since private sources allow pushing a version again.
        return if listed && origin == :index && @index.find(remote, package, fresh: true)&.sha256 == got

        word = origin == :lockfile ? "CHECKSUMS of the lockfile" : "the index of #{remote.source}"
        raise ChecksumMismatch.new(package.full_name, expected: expected, got: got, source: remote.source, origin: word)
      end

      def remotes(package) = addresses(package.source).map { |address| @remotes.for(address) }

      # Like Bundler, queries the last of several remotes in a section first.
      def addresses(source) = source.respond_to?(:remotes) ? source.remotes.reverse : [source.to_s]

      # The maximum size of an archive in bytes.
      def limit = Settings::Value.integer(@settings["spate.max_download"] || MAX_DOWNLOAD, "spate.max_download") << 20

      def agent
        ["spate/#{VERSION}", "ruby/#{RUBY_VERSION}", "(#{RUBY_PLATFORM})", @settings[:user_agent]].compact.join(" ")
      end

      def warn(message, hint) = @events.emit(:warning, message: message, hint: hint)

      def warn_of_retry(error, seconds)
        @events.emit(:fetch_retry, message: error.message, seconds: seconds.round(1))
      end

      def warn_of_missing_index(remote)
        return if @mutex.synchronize { @unindexed[remote.source].tap { @unindexed[remote.source] = true } }

        message = "#{remote.source} has no compact index: only its gems in CHECKSUMS of the lockfile are verified"
        warn(message, "spate lock --add-checksums")
      end
    end
  end
end
