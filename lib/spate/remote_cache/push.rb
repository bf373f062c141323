# frozen_string_literal: true

module Spate
  module RemoteCache
    # Sends those parts of a bundle that are missing in a cache. Can be interrupted and repeated at any time. `save`
    # records what was sent.
    class Push
      # A result to send as an Entry. kind, key, id: see Entry. name: for display. offer: called with a
      # Trust::PrivateKey; returns [Entry, path of a temporary file with its blob or nil], or the reason not to send it
      # (String).
      Parcel = Struct.new(:kind, :name, :key, :id, :offer, keyword_init: true) do
        def identity = "#{key}-#{id}"
      end
      # The outcome for one result or archive. kind: the parcel's kind, or :archive. name: full name. bytes: size of the
      # sent data; in a dry run, of the data to send. state: :sent, :there, :would (in a dry run) or :refused. reason:
      # why it was refused (String).
      Sending = Struct.new(:kind, :name, :bytes, :state, :reason, keyword_init: true)
      # The number of times that a document is written again after another writer has replaced it.
      TRIES = 4
      # The age in seconds from which a blob is sent again when a document refers to it. Otherwise garbage collection by
      # age could remove it.
      YOUNG = 12 * 60 * 60
      # If another machine has just sent a blob, wait at least for this time (in seconds, plus up to one second) until
      # it publishes its document.
      RETRY_WAIT = 0.5

      # transport: see RemoteCache.transport. key: Trust::PrivateKey. trust: Trust. dry: sends nothing.
      def initialize(transport, store:, key:, trust:, dry: false)
        @transport = transport
        @store = store
        @key = key
        @trust = Trust.new([*trust.keys, key.public_key("own")])
        @dry = dry
        @notes = Notes.new(store, transport.to_s)
      end

      # Records what was sent, so that the next run need not query the cache for it.
      def save = @notes.save

      # Sends a Parcel. again: queries the cache even if the entry is recorded as sent. Returns a Sending. Raises
      # Unavailable, Store::Error.
      def parcel(parcel, again: false)
        sending(parcel.kind.to_sym, parcel.name, parcel.identity, again) do
          next :there if published?(parcel)

          answer = parcel.offer.call(@key)
          answer.is_a?(String) ? answer : send_entry(*answer)
        end
      end

      # Sends an archive from the store.
      def archive(full_name, sha256, again: false)
        sending(:archive, full_name, sha256, again) do
          upload("cas/#{sha256}", path = @store.archive_path(sha256)) do
            "its archive in the store is incomplete" unless File.file?(path) && Native.sha256_file(path) == sha256
          end
        end
      end

      private

      # The block returns the number of bytes sent, :there, or the reason not to send them (String).
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

      def published?(parcel) = includes?(document(parcel), parcel)

      # Whether the document contains this result with a trusted signature, and the cache contains its blob.
      def includes?(document, result)
        document&.entries.to_a.any? do |entry|
          entry.id == result.id &&
            @trust.refusal(entry, result.key, kind: result.kind, **Entry.machine).nil? &&
            (entry.blob.nil? || @transport.head("cas/#{entry.blob}") == entry.blob_bytes)
        end
      end

      # Returns the number of sent bytes.
      def send_entry(entry, path)
        sent = upload("cas/#{entry.blob}", path, within: YOUNG) if path
        publish(entry, behind: sent == :there) unless @dry
        entry.blob_bytes || entry.packed.bytesize
      ensure
        Util::Files.remove(path) if path
      end

      # Returns :there, or the number of sent bytes. within: an existing blob older than this time in seconds is sent
      # again; nil for no limit. The block is called before sending, and returns a reason not to send (String) or nil.
      def upload(name, path, within: nil)
        size = File.size?(path)
        return :there if size && @transport.head(name) == size && (within.nil? || young?(name, within))

        doubt = yield if block_given?
        return doubt || size if doubt || @dry

        # A server that responds with success before it has read the whole upload already has the blob from another
        # client.
        File.open(path, "rb") { |file| @transport.put(name, file) && file.pos < size ? :there : size }
      end

      def young?(name, within) = @transport.time(name).to_i > Time.now.to_i - @transport.ahead - within

      # Adds an entry to its document. No server guarantees to reject a write that would overwrite another client's, so
      # a writer whose entry has disappeared adds it again. Each attempt waits as long as the last write took, so that
      # writers that have read the previous document can finish. An entry of the same signer from another machine is
      # sufficient, since many machines with the same result would otherwise replace each other's entries. behind:
      # another machine has sent the blob, and may be about to write the document.
      def publish(entry, behind: false)
        took = behind ? RETRY_WAIT + Random.rand : 0
        (0..TRIES).each do |attempt|
          sleep(took + (Random.rand * 0.2 * attempt))
          began = Util.now
          there = document(entry)
          return true if includes?(there, entry)

          write(entry, there, fresh: there.nil? && attempt.zero?) unless attempt == TRIES
          took = Util.now - began
        end
        raise Unavailable.new(:answer, @transport, "replaced the entry of #{entry.what} #{TRIES} times",
                              hint: "other machines write to it at the same time: push again")
      end

      def write(entry, there, fresh:)
        merged = Document.merge(Document.new([entry]), there || Document.new([]))
        @transport.put(Document.name(entry.key, entry.kind), merged.encode, fresh: fresh)
      end

      # The Document for an Entry or a Parcel, or nil. A damaged or too long document is treated as empty.
      def document(about)
        bytes = @transport.get(Document.name(about.key, about.kind), limit: Client::DOCUMENT)
        Document.parse(bytes) if bytes
      rescue Malformed, TooLong
        Document.new([])
      end

      # Records the names that this store has sent to a cache or found there. Stored as text, with a Unix time and a
      # name per line.
      class Notes
        KIND = "sent"
        # The time in seconds after which the cache is queried again, since the name may have been removed.
        VALID_FOR = 7 * 24 * 60 * 60

        # cache: a unique, readable name of the cache: a transport's to_s.
        def initialize(store, cache)
          @store = store.writable_store
          @key = Store.sha256(cache)
          @kept = read
          @fresh = {}
        end

        def include?(name) = recent?(@kept[name])
        def <<(name) = @fresh[name] = Time.now.to_i

        # Merges with the stored names, since other processes may have changed them. A lost name only causes another
        # query.
        def save
          return if @fresh.empty?

          all = read.merge(@fresh).select { |_, time| recent?(time) }
          @store&.write(KIND, @key, all.map { |name, time| "#{time} #{name}\n" }.join)
        end

        private

        def recent?(time) = time && time > Time.now.to_i - VALID_FOR

        def read
          @store&.read(KIND, @key).to_s.scan(/^(\d+) (.+)$/).to_h { |time, name| [name, time.to_i] }
        end
      end
    end
  end
end
