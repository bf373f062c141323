# frozen_string_literal: true

module Spate
  module CompileCache
    # The compile caches of a bundle's gems combined into one, for machines with the bundle at the same path. No boot
    # uses it directly: builders copy the code whose source is identical to their own files.
    class Shared
      KIND = "compile_cache"
      FORMAT = "spate shared compile cache 1"
      # A fetched compile cache: its path, which the caller removes; the gem folders in it; its signer: [key's id, Unix
      # time].
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

      # The key of its documents, computed from paths and everything that affects how code is compiled. It excludes
      # versions in a lockfile, since most gems are the same in the next one.
      def key
        Store.sha256([FORMAT, @caches.ruby_key, Build::RubyBuild.current.identity, @location.gemfile,
                      Native.sha256_file(@location.gemfile)].join("\n"))
      end

      # Found for the entry that has most of these gems' folders, or nil.
      def ask(dirs, events)
        client = RemoteCache.client(@settings, events: events)
        choose(client.document(key, KIND), client, dirs)
      rescue RemoteCache::Refused, Native::CompileCache::Unusable, SystemCallError => e
        client.trouble(e)
        nil
      ensure
        client&.close
        RemoteCache::Client::Usage.new(@store, client.name).add(client.tally) if client
      end

      # [RemoteCache::Push::Parcel]; empty if this machine has compiled nothing. dirs: folders of gems whose compile
      # caches may be shared.
      def parcels(dirs)
        sources = application.gem_caches.slice(*dirs).transform_values { |path| CacheFile.new(path, @caches.ruby_key) }
        sources.select! { |_, cache| cache.usable? && cache.signers.empty? }
        return [] if sources.empty? || @store.keeper.nil?

        facts = { key: key, kind: KIND, id: id(sources.values) }
        [RemoteCache::Push::Parcel.new(**facts, name: "of #{sources.size} gem#{"s" if sources.size > 1}",
                                                offer: ->(signer) { offer(facts, sources, signer) })]
      end

      private

      def application = CacheFile.new(@caches.application_path(@location), @caches.ruby_key)

      # Part of a digest of all paths and contents.
      def id(caches)
        lines = caches.flat_map { |file| paths(file).map { |path| "#{path} #{file.cache.state(path)[3]}" } }
        Store.sha256(lines.sort.join("\n"))[0, 16]
      end

      # Excludes files that have changed since they were compiled.
      def paths(file) = file.paths.select { |path| file.fits?(path) }

      def choose(document, client, dirs)
        return unless document

        found, reasons = RemoteCache::Document.sift(document, @trust, KIND, key) { |entry| offered(entry, dirs) }
        entry, there = found.max_by { |_, common| common.size }
        return client.miss(reasons) unless entry

        path = fetch(entry, client) and Found.new(path, there, [entry.signer, entry.made])
      end

      # [Entry, the folders that it covers], or the reason why it is not worth its size.
      def offered(entry, dirs)
        lines = RemoteCache::Entry::Records.unpack(entry.packed).facts.force_encoding(Encoding::UTF_8)
        common = dirs & lines.lines(chomp: true)
        common.size * 2 < dirs.size ? "it has #{common.size} of #{dirs.size} gems" : [entry, common]
      end

      # Makes installs check the signers of code from now on. Does not write through links.
      def mark
        flags = File::WRONLY | File::CREAT | File::NOFOLLOW
        File.open("#{@caches.store_root}/#{RemoteCache::COMPILED}", flags, 0o600, &:close)
      end

      # Path of the compile cache in an entry's blob. Raises Refused, Unusable.
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

      # In the format of Push::Parcel.
      def offer(facts, sources, signer)
        cache, blob = %w[compile_cache blob].map { |name| @store.keeper.temporary(name) }
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

      # In the format of Native::CompileCache.write.
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
