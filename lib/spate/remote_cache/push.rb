# frozen_string_literal: true

module Spate
  module RemoteCache
    # Sends to a cache what a bundle is made of, as far as it is lacking there. Can be broken off at any time and begun
    # again: what was sent is there, and noted once `keep` is called.
    class Push
      # A result to be sent as an entry. kind, key, id: as the entry has them. name: for people. offer: called with a
      # Trust::PrivateKey; answers [Entry, path of its blob, to be removed, or nil], or why it stays here (String).
      Parcel = Struct.new(:kind, :name, :key, :id, :offer, keyword_init: true) do
        def identity = "#{key}-#{id}"
      end
      # One thing to send. kind: a parcel's, or :archive. name: full name. bytes: sent, or that would be. state: :sent,
      # :there, :would, :refused; reason: why it was refused, in words.
      Sending = Struct.new(:kind, :name, :bytes, :state, :reason, keyword_init: true)
      # How often a document is written again after another writer has replaced it.
      TRIES = 4
      # Seconds for which a blob is young: a document with an older one writes it again, so that a collector by age does
      # not remove it.
      YOUNG = 12 * 60 * 60
      # Seconds in which who has sent a blob names it, and up to one more.
      AWAITED = 0.5

      # transport: see RemoteCache.transport. key: Trust::PrivateKey. trust: Trust. dry: sends nothing.
      def initialize(transport, store:, key:, trust:, dry: false)
        @transport = transport
        @store = store
        @key = key
        @trust = Trust.new([*trust.keys, key.public_key("own")])
        @dry = dry
        @notes = Notes.new(store, transport.to_s)
      end

      # Records what was sent, so that the next installs do not query it again.
      def keep = @notes.keep

      # again: queries the cache in spite of the notes. Answers a Sending. Raises Unavailable, Store::Error.
      def parcel(parcel, again: false)
        sending(parcel.kind.to_sym, parcel.name, parcel.identity, again) do
          next :there if published?(parcel)

          answer = parcel.offer.call(@key)
          answer.is_a?(String) ? answer : send_entry(*answer)
        end
      end

      # sha256: of an archive in the store.
      def archive(full_name, sha256, again: false)
        sending(:archive, full_name, sha256, again) do
          upload("cas/#{sha256}", path = @store.archive_path(sha256)) do
            "its archive is not whole in the store" unless File.file?(path) && Native.sha256_file(path) == sha256
          end
        end
      end

      private

      # The block answers how many bytes were sent, :there, or why they are not (String).
      def sending(kind, name, note, again)
        looked = again || !@notes.include?(note)
        result = looked ? yield : :there
        @notes << note if looked && !@dry && !result.is_a?(String)
        facts = case result
                when Integer then { state: @dry ? :would : :sent, bytes: result }
                when String then { state: :refused, reason: result, bytes: 0 }
                else { state: :there, bytes: 0 }
                end
        Sending.new(kind: kind, name: name, **facts)
      end

      def published?(parcel) = stands?(parcel, document(parcel))

      # Whether a document has that very result, signed by a trusted key, and the cache has its blob.
      def stands?(result, document)
        document&.entries.to_a.any? do |entry|
          entry.id == result.id &&
            @trust.refusal(entry, result.key, kind: result.kind, **Entry.machine).nil? &&
            (entry.blob.nil? || @transport.head("cas/#{entry.blob}") == entry.blob_bytes)
        end
      end

      # How many bytes they are.
      def send_entry(entry, path)
        sent = upload("cas/#{entry.blob}", path, within: YOUNG) if path
        publish(entry, behind: sent == :there) unless @dry
        entry.blob_bytes || entry.packed.bytesize
      ensure
        Util::Files.remove(path) if path
      end

      # :there, or how many bytes there are now. within: seconds for which what is there counts; always, else. The block
      # says why they must not be sent, where they would have to be.
      def upload(name, path, within: nil)
        size = File.size?(path)
        return :there if size && @transport.head(name) == size && (within.nil? || young?(name, within))

        doubt = yield if block_given?
        return doubt || size if doubt || @dry

        # Of what a server wants no byte of, another was faster.
        File.open(path, "rb") { |file| @transport.put(name, file) && file.pos < size ? :there : size }
      end

      def young?(name, within) = @transport.time(name).to_i > Time.now.to_i - @transport.ahead - within

      # No server promises to refuse a write over another's: a writer whose entry is gone adds it once more. Writers
      # that read before that write within the time that this takes. An entry of the same signer from another machine
      # counts as this one: otherwise many machines with the same result would replace each other's. behind: another
      # machine has sent the blob before, and may be about to write the document.
      def publish(entry, behind: false)
        took = behind ? AWAITED + Random.rand : 0
        (0..TRIES).each do |attempt|
          sleep(took + (Random.rand * 0.2 * attempt))
          began = Util.now
          there = document(entry)
          return true if stands?(entry, there)

          write(entry, there, fresh: there.nil? && attempt.zero?) unless attempt == TRIES
          took = Util.now - began
        end
        raise Unavailable.new(:answer, @transport, "lost what was written for #{entry.what} #{TRIES} times",
                              hint: "others write there at the same time: push again")
      end

      def write(entry, there, fresh:)
        merged = Document.merge(Document.new([entry]), there || Document.new([]))
        @transport.put(Document.name(entry.key, entry.kind), merged.encode, fresh: fresh)
      end

      # The one that has an entry, or a parcel's; nil where there is none. A damaged or too
      # long one counts as empty.
      def document(about)
        bytes = @transport.get(Document.name(about.key, about.kind), limit: Client::DOCUMENT)
        Document.parse(bytes) if bytes
      rescue Malformed, TooLong
        Document.new([])
      end

      # The names that this store has sent to one cache, or has found there: one text, a line each, of a Unix time and a
      # name.
      class Notes
        KIND = "sent"
        # Seconds after which the cache is queried again: the name may have been collected.
        GOOD = 7 * 24 * 60 * 60

        # cache: as people know it and as no other has it.
        def initialize(store, cache)
          @store = store.keeper
          @key = Store.sha256(cache)
          @kept = read
          @fresh = {}
        end

        def include?(name) = good?(@kept[name])
        def <<(name) = @fresh[name] = Time.now.to_i

        # Others may have written meanwhile. What is forgotten is looked for again.
        def keep
          return if @fresh.empty?

          all = read.merge(@fresh).select { |_, time| good?(time) }
          @store&.write(KIND, @key, all.map { |name, time| "#{time} #{name}\n" }.join)
        end

        private

        def good?(time) = time && time > Time.now.to_i - GOOD

        def read
          @store&.read(KIND, @key).to_s.scan(/^(\d+) (.+)$/).to_h { |time, name| [name, time.to_i] }
        end
      end
    end
  end
end
