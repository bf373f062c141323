# frozen_string_literal: true

module Spate
  module CompileCache
    # Shares the compile caches of a bundle's gems, combined into one, with machines that have the bundle at the same
    # path. Boots do not use the shared cache directly: builders copy code from it if the source is identical to their
    # own file.
    class Shared
      KIND = "compile_cache"
      FORMAT = "spate shared compile cache 1"
      # A fetched compile cache: its path, which the caller must remove; the gem folders in it; its signer, [key id,
      # Unix time].
      Found = Struct.new(:path, :dirs, :signer)

      # caches: Boot::CompileCacheFolder. trust: RemoteCache::Trust.
      def initialize(caches:, location:, settings:, store:, trust:)
        @caches = caches
        @location = location
        @settings = settings
        @store = store
        @trust = trust
        @pack = RemoteCache::Pack.new(store)
      end

      # The key of the documents, computed from paths and everything that affects how code is compiled. It does not
      # include the lockfile, because most gems are the same in the next version of the lockfile.
      def key
        Store.sha256([FORMAT, @caches.ruby_key, Build::RubyBuild.current.identity, @location.gemfile,
                      Native.sha256_file(@location.gemfile)].join("\n"))
      end

      # Fetches the entry that covers most of the gems' folders. Returns Found, or nil.
      def ask(dirs, events)
        client = RemoteCache.client(@settings, events: events)
        choose(client.document(key, KIND), client, dirs)
      rescue RemoteCache::Refused, Native::CompileCache::Unusable, SystemCallError => e
        client.report_error(e)
        nil
      ensure
        client&.close
        RemoteCache::Client::Usage.new(@store, client.name).add(client.tally) if client
      end

      # Returns [RemoteCache::Push::Parcel], or [] if this machine has not compiled any of the gems. dirs: folders of
      # gems whose compile caches may be shared.
      def parcels(dirs)
        sources = application.gem_caches.slice(*dirs).transform_values { |path| CacheFile.new(path, @caches.ruby_key) }
        sources.select! { |_, cache| cache.usable? && cache.signers.empty? }
        return [] if sources.empty? || @store.writable_store.nil?

        facts = { key: key, kind: KIND, id: id(sources.values) }
        [RemoteCache::Push::Parcel.new(**facts, name: "of #{sources.size} gem#{"s" if sources.size > 1}",
                                                offer: ->(signer) { offer(facts, sources, signer) })]
      end

      private

      def application = CacheFile.new(@caches.application_path(@location), @caches.ruby_key)

      # The first 16 digits of a digest of all paths and contents.
      def id(caches)
        lines = caches.flat_map { |file| paths(file).map { |path| "#{path} #{file.cache.state(path)[3]}" } }
        Store.sha256(lines.sort.join("\n"))[0, 16]
      end

      # Excludes files that have changed since they were compiled.
      def paths(file) = file.paths.select { |path| file.fits?(path) }

      def choose(document, client, dirs)
        return unless document

        select = ->(entry) { offered(entry, dirs) }
        found, reasons = RemoteCache::Document.select_trusted(document, @trust, KIND, key, &select)
        entry, there = found.max_by { |_, common| common.size }
        return client.count_miss(reasons) unless entry

        path = fetch(entry, client) and Found.new(path, there, [entry.signer, entry.made])
      end

      # Returns [Entry, covered folders], or the reason (String) why fetching the entry is not worth it.
      def offered(entry, dirs)
        lines = RemoteCache::Entry::Records.unpack(entry.packed).facts.force_encoding(Encoding::UTF_8)
        common = dirs & lines.lines(chomp: true)
        common.size * 2 < dirs.size ? "it has #{common.size} of #{dirs.size} gems" : [entry, common]
      end

      # Creates a file that makes later installs check the signers of code. Does not follow links.
      def mark
        flags = File::WRONLY | File::CREAT | File::NOFOLLOW
        File.open("#{@caches.store_root}/#{RemoteCache::COMPILED}", flags, 0o600, &:close)
      end

      # Fetches an entry's blob and returns the path of the compile cache in it. Raises Refused, Unusable.
      def fetch(entry, client)
        mark
        blob = @store.temporary("blob")
        client.build(entry.blob, entry.blob_bytes, to: blob) or return
        path = "#{@caches.folder}/gems/#{Random.urandom(16).unpack1("H*")}.tmp"
        @pack.expand(entry, blob, path)
        Native::CompileCache.open(path, key: @caches.ruby_key)
        client.count(:compile_caches)
        found = path
      ensure
        [blob, (path unless found)].compact.each { |left| Util::Files.remove(left) }
      end

      # Returns the result in the format of Push::Parcel.
      def offer(facts, sources, signer)
        cache, blob = %w[compile_cache blob].map { |name| @store.writable_store.temporary(name) }
        Native::CompileCache.write(cache, key: @caches.ruby_key, files: files(sources.values), data: {})
        File.open(cache, "rb") { |file| @pack.compress(file, blob) }
        what = RemoteCache::Entry.of_lockfile(File.binread(@location.lockfile))
        packed = RemoteCache::Entry::Records.new("", "", sources.keys.sort.join("\n")).pack
        [RemoteCache::Entry.sign({ **facts, what: what, blob: Native.sha256_file(blob), blob_bytes: File.size(blob),
                                            tar_bytes: File.size(cache) }, packed, signer), blob]
      rescue RemoteCache::Refused, SystemCallError => e
        Util::Files.remove(blob)
        e.message
      ensure
        Util::Files.remove(cache) if cache
      end

      # The entries in the format of Native::CompileCache.write.
      def files(caches)
        watch = RemoteCache::Builds::Secrets.new(Util::Environment.clean(@settings.env), @settings).watch
        caches.flat_map do |file|
          paths(file).filter_map do |path|
            blob = file.cache.blob(path) or next
            watch.call(path, blob)
            [path, file.cache.state(path), blob]
          end
        end
      end
    end
  end
end
