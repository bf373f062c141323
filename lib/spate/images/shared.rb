# frozen_string_literal: true

module Spate
  module Images
    # The images of a bundle's gems as one, for machines with the bundle at the same path. It is never booted from:
    # builders copy from it the code that was compiled from the content of their own files.
    class Shared
      KIND = "image"
      FORMAT = "spate shared image 1"
      # A fetched image: its path, which the caller removes; the gem folders in it; its signer: [key's id, Unix time].
      Found = Struct.new(:path, :dirs, :signer)

      # images: Boot::ImageFolder. trust: RemoteCache::Trust.
      def initialize(images:, location:, settings:, store:, trust:)
        @images = images
        @location = location
        @settings = settings
        @store = store
        @trust = trust
        @pack = RemoteCache::Pack.new(store)
      end

      # The key of its documents: paths, and all that decides how code is compiled; not the versions in a lockfile,
      # since most gems are the same in the next one.
      def key
        Store.sha256([FORMAT, @images.ruby_key, Build::RubyBuild.current.identity, @location.gemfile,
                      Native.sha256_file(@location.gemfile)].join("\n"))
      end

      # Found of the entry that has most of these gems' folders, or nil.
      def ask(dirs, events)
        client = RemoteCache.client(@settings, events: events)
        choose(client.document(key, KIND), client, dirs)
      rescue RemoteCache::Refused, Native::Image::Unusable, SystemCallError => e
        client.trouble(e)
        nil
      ensure
        client&.close
        RemoteCache::Client::Usage.new(@store, client.name).add(client.tally) if client
      end

      # [RemoteCache::Push::Parcel]: none if this machine has compiled nothing. dirs: folders of gems whose images may
      # be shared.
      def parcels(dirs)
        sources = application.gem_images.slice(*dirs).transform_values { |path| ImageFile.new(path, @images.ruby_key) }
        sources.select! { |_, image| image.usable? && image.signers.empty? }
        return [] if sources.empty? || @store.keeper.nil?

        facts = { key: key, kind: KIND, id: id(sources.values) }
        [RemoteCache::Push::Parcel.new(**facts, name: "of #{sources.size} gem#{"s" if sources.size > 1}",
                                                offer: ->(signer) { offer(facts, sources, signer) })]
      end

      private

      def application = ImageFile.new(@images.application_path(@location), @images.ruby_key)

      # Digits of a digest of all paths and contents.
      def id(images)
        lines = images.flat_map { |file| paths(file).map { |path| "#{path} #{file.image.state(path)[3]}" } }
        Store.sha256(lines.sort.join("\n"))[0, 16]
      end

      # Without files that have changed since they were compiled.
      def paths(file) = file.paths.select { |path| file.fits?(path) }

      def choose(document, client, dirs)
        return unless document

        found, reasons = RemoteCache::Document.sift(document, @trust, KIND, key) { |entry| offered(entry, dirs) }
        entry, there = found.max_by { |_, common| common.size }
        return client.miss(reasons) unless entry

        path = fetch(entry, client) and Found.new(path, there, [entry.signer, entry.made])
      end

      # [Entry, the folders that it has], or why it is not worth its bytes.
      def offered(entry, dirs)
        lines = RemoteCache::Entry::Records.unpack(entry.packed).facts.force_encoding(Encoding::UTF_8)
        common = dirs & lines.lines(chomp: true)
        common.size * 2 < dirs.size ? "it has #{common.size} of #{dirs.size} gems" : [entry, common]
      end

      # From now on installs check the signers of code. Nothing is written through a link.
      def mark
        flags = File::WRONLY | File::CREAT | File::NOFOLLOW
        File.open("#{@images.store_root}/#{RemoteCache::COMPILED}", flags, 0o600, &:close)
      end

      # Path of the image in an entry's blob. Raises Refused, Unusable.
      def fetch(entry, client)
        mark
        blob = @store.temporary("blob")
        client.build(entry.blob, entry.blob_bytes, to: blob) or return
        path = "#{@images.folder}/gems/#{Random.urandom(16).unpack1("H*")}.tmp"
        @pack.expand(entry, blob, path)
        Native::Image.open(path, key: @images.ruby_key)
        client.count(:images)
        found = path
      ensure
        [blob, (path unless found)].compact.each { |left| Util::Files.remove(left) }
      end

      # In the form of Push::Parcel.
      def offer(facts, sources, signer)
        image, blob = %w[image blob].map { |name| @store.keeper.temporary(name) }
        Native::Image.write(image, key: @images.ruby_key, files: files(sources.values), data: {})
        File.open(image, "rb") { |file| @pack.compress(file, blob) }
        what = RemoteCache::Entry.of_lockfile(File.binread(@location.lockfile))
        packed = RemoteCache::Entry::Records.new("", "", sources.keys.sort.join("\n")).pack
        [RemoteCache::Entry.sign({ **facts, what: what, blob: Native.sha256_file(blob), blob_bytes: File.size(blob),
                                            tar_bytes: File.size(image) }, packed, signer), blob]
      rescue RemoteCache::Refused, SystemCallError => e
        Util::Files.remove(blob)
        e.message
      ensure
        Util::Files.remove(image) if image
      end

      # In the form of Native::Image.write.
      def files(images)
        watch = RemoteCache::Builds::Secrets.new(Util::Environment.clean(@settings.env), @settings).watch
        images.flat_map do |file|
          paths(file).filter_map do |path|
            blob = file.image.blob(path) or next
            watch.call(path, blob)
            [path, file.image.state(path), blob]
          end
        end
      end
    end
  end
end
