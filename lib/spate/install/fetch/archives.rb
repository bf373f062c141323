# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # Finds each package's archive: in the store, in vendor/cache, or at its source.
      class Archives
        def initialize(context)
          @context = context
          @store = context.store
          @mutex = Mutex.new
          @fetched = []
        end

        # Returns the Archive of the item's package. Raises a Registry error if no source has it.
        def obtain(item)
          stored(item) || vendored(item) || download(item)
        end

        # Returns the archive if it is in vendor/cache but not in the store; otherwise nil.
        def local(item)
          vendored(item) unless item.sha256 && File.exist?(@store.archive_path(item.sha256))
        end

        # Removes archives that were fetched but not unpacked.
        def clean
          @mutex.synchronize { @fetched.select { |path| File.exist?(path) }.each { |path| File.unlink(path) } }
        end

        private

        def stored(item)
          return unless item.sha256

          path = @store.archive_path(item.sha256)
          return unless ArchiveCheck.intact?(path, item.sha256)

          Archive.new(path: path, expected: item.sha256, verified: item.package.sha256 ? "lockfile" : "index",
                      origin: :store, bytes: 0, owned: false)
        end

        def vendored(item)
          path = @context.vendor.find(item.package) or return
          expected = item.package.sha256
          Archive.new(path: path, expected: expected, verified: expected ? "lockfile" : "vendor", origin: :vendor,
                      bytes: 0, owned: false, seen: ArchiveCheck.stable_stat(path))
        end

        def download(item)
          raise NotLocalError, item.package if @context.options.local

          listing = client.listing(item.package) unless item.package.sha256
          item.sha256 = listing.sha256 if listing
          there = stored(item) || shared(item)
          there ? there.tap { |archive| archive.domain = listing&.domain } : fetch(item)
        end

        # The archive from the team's cache, if the archive's checksum is known.
        def shared(item)
          team = item.sha256 && @context.sources.team or return
          path = temporary
          bytes = team.archive(item.sha256, to: path) or return
          team.count(:archives)
          @context.events.emit(:fetch_start, name: item.full_name, bytes: bytes, source: "the team's cache")
          @context.events.emit(:fetch_done, name: item.full_name, bytes: bytes, source: "the team's cache")
          Archive.new(path: path, expected: item.sha256, verified: item.package.sha256 ? "lockfile" : "index",
                      origin: :team, bytes: bytes, owned: true)
        end

        def fetch(item)
          path = temporary
          result = client.fetch(item.package, to: path)
          Archive.new(path: path, expected: result.sha256, verified: result.verified.to_s, origin: :network,
                      domain: result.domain, bytes: result.bytes, owned: true)
        end

        def temporary
          @store.temporary("archive").tap { |path| @mutex.synchronize { @fetched << path } }
        end

        def client = @context.sources.client
      end
    end
  end
end
