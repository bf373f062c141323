# frozen_string_literal: true

module Spate
  module RemoteCache
    # Builds in the team's cache, independent of the transport. Chooses a usable build from a document, adds it to the
    # store, and decides which builds of this store may be sent.
    class Builds
      autoload :Secrets, "spate/remote_cache/builds/secrets"

      KIND = "build"
      # A usable entry and its Records. places: Pack::Places.
      Offer = Struct.new(:entry, :records, :places) do
        # The SHA-256 of the blob to fetch, and its size in bytes.
        def blob = entry.blob
        def bytes = entry.blob_bytes
      end
      # A build that is not yet in a store, for ReuseCheck.
      Probe = Struct.new(:record, :inputs) do
        def store = nil
      end

      # builder: Build::Builder of the bundle. trust: Trust.
      def initialize(store:, layout:, settings:, builder:, trust:)
        @store = store
        @layout = layout
        @settings = settings
        @builder = builder
        @reuse_check = builder.reuse_check
        @trust = trust
        @pack = Pack.new(store.writable_store || store)
      end

      # The Offer of the first trusted entry whose inputs all match. Otherwise returns reasons as [String], one for each
      # entry or one for the document. Raises Malformed. places: where the gem's build may have files.
      def choose(document, first_key, places)
        offers, reasons = Document.select_trusted(document, @trust, KIND, first_key) { |entry| examine(entry, places) }
        fitting(offers, reasons) || reasons
      end

      # Adds the offered build to the store, from the file at the path `blob`. Returns a Build::Cache::Entry. Raises
      # Refused if the file does not match the offer, or Store::Error.
      def accept(offer, blob)
        home = @store.writable_store or raise Refused, "the store is not writable"
        home.lock("store", shared: true) do
          home.guard do
            Adoption.new(home).call(offer.entry, offer.records, @pack.read(offer.entry, blob, offer.places))
          end
        end
      end

      # The Push::Parcel of a stored build (Build::Cache::Entry).
      def parcel(build)
        key, id = build.identity.split("-")
        Push::Parcel.new(kind: KIND, name: build.record.full_name, key: key, id: id,
                         offer: ->(signer) { offer(build, signer) })
      end

      # Returns [Entry for the document, path of the blob to send], or the reason why the build must not be sent
      # (String). The caller removes the blob. build: Build::Cache::Entry. key: Trust::PrivateKey. Raises Store::Error.
      def offer(build, key)
        reason = own(build) and return reason
        home = @store.writable_store or return "the store is not writable"
        home.guard { send_off(build, key, home.temporary("blob")) }
      rescue Refused, Native::Error => e
        e.message
      end

      private

      # Returns an Offer, or the reason for rejecting the entry (String). Does not check whether the inputs match.
      def examine(entry, places)
        return "for another gem: #{entry.what}" if entry.what != places.full_name

        records = Entry::Records.unpack(entry.packed)
        # Inputs.check treats bytes that are not a record as a path, so reject them. Paths and names never contain a
        # NUL.
        return "its inputs are invalid" unless [records.inputs, records.needs].all? { |one| Inputs.record?(one) }
        return "its facts contain a null byte" if records.facts.include?("\0")

        record = Build::Cache::Record.parse(records.facts)
        foreign = record.removed.find { |path| !places.place?(path) }
        return "it would remove a file outside the gem's folders: #{foreign}" if foreign
        return "its facts belong to #{record.full_name}" if record.full_name != entry.what

        doubt = record.sees.filter_map { |signer| @trust.doubt(*signer) }.first and return "it used a build #{doubt}"
        Offer.new(entry, records, places)
      end

      # The first offer whose inputs match. Adds the reasons for the others to `reasons`. A build with other inputs is
      # never used, even if it would run here and this machine cannot build: otherwise anyone who can write to the cache
      # could choose among all builds that were ever signed.
      def fitting(offers, reasons)
        offers.each do |offer|
          change = @reuse_check.change(probe(offer)) or return offer
          reasons << Build::Trace::ReuseCheck.explain(*change)
        end
        nil
      end

      def probe(offer)
        Probe.new(Build::Cache::Record.parse(offer.records.facts), offer.records.inputs)
      end

      # The reason why this machine must not send the build, or nil.
      def own(build)
        return "its inputs are unknown" unless File.file?(build.inputs) && File.file?(build.needs)
        return "it came from a cache" if build.record.signer
        return "it contains the path of the folder that it was built in" if build.record.root

        change = @reuse_check.change(build)
        return "its inputs have changed: #{Build::Trace::ReuseCheck.explain(*change)}" if change

        "a library that it needs to run is missing" unless @reuse_check.runs?(build)
      end

      def send_off(build, key, blob)
        secrets = Secrets.new(@builder.environment.variables, @settings)
        items = Inputs.each(build.inputs)
        doubt = secrets.doubt(items) || secrets.personal(items, *own_folders) and raise Refused, doubt
        record = build.record
        records = Entry::Records.new(Inputs.portable(build.inputs), Inputs.portable(build.needs), record.to_s)
        entries = Array.new(build.manifest.count) { |index| build.manifest.entry(index) }
        doubt = secrets.refusal_of_texts(entries, records.to_a) and raise Refused, doubt
        packed = records.pack
        written = @pack.write(build, blob, Pack::Places.guess(@layout, record.full_name, build.manifest.paths),
                              &secrets.watch)
        [Entry.sign(facts(build, record).merge(written.to_h), packed, key), blob]
      rescue StandardError
        File.unlink(blob) if File.exist?(blob)
        raise
      end

      # [home folder, [folders that may be in it, but contain no personal files]]
      def own_folders
        [@reuse_check.roots["home"].to_s,
         [@layout.root, @store.root, Util::Ruby.config("prefix"), *@layout.rubygems.path]]
      end

      def facts(build, record)
        first, id = build.identity.split("-")
        { key: first, kind: KIND, what: record.full_name, archive: build.manifest.sha256, id: id,
          seconds: format("%.3f", record.seconds.to_f) }
      end

      # Adds a build from the cache to a store, as a build variant. The variant's record contains the signer.
      class Adoption
        def initialize(store)
          @store = store
        end

        # files: manifest entries, whose objects are in the store. Returns the Build::Cache::Entry. Atomic: the variant
        # is not used until its inputs are written.
        def call(entry, records, files)
          record = Build::Cache::Record.parse(records.facts)
          record.signer = [entry.signer, entry.made]
          variants = Build::Cache::Variants.new(@store, entry.key)
          id = entry.id + Build::Cache::Variants.mark(record)
          key = variants.key(id)
          commit(variants, id, records) do |path|
            @store.native.write_manifest(path, entry.archive, files, record.to_s) unless @store.own_build(key)
          end
        end

        private

        # The name includes the signer and the time, so an existing complete build with this name is the same build.
        def commit(variants, id, records)
          written = { "" => records.inputs,
                      Build::Cache::Variants::NEEDS => records.needs }.transform_values do |bytes|
            @store.temporary("inputs").tap { |path| File.binwrite(path, bytes) }
          end
          yield @store.build_path(variants.key(id))
          variants.commit(id, written)
          Build::Cache::Entry.find(@store, variants.key(id))
        ensure
          written&.each_value { |path| File.unlink(path) if File.exist?(path) }
        end
      end
    end
  end
end
