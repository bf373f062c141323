# frozen_string_literal: true

module Spate
  module RemoteCache
    # Removes old and unreferenced entries of a cache, or verifies all entries. The transport must be able to list them.
    class Contents
      # documents, blobs: numbers of existing entries. removed: number of entries that were removed, or would be in a
      # dry run. unfinished: number of files left by killed writers. bytes: size of removed and unfinished files.
      Collected = Struct.new(:documents, :blobs, :removed, :unfinished, :bytes, keyword_init: true)
      # An invalid document or blob. name: "cas/…" or "ac/…".
      Fault = Struct.new(:name, :reason, keyword_init: true)
      # Maximum size in bytes of a file in ac/, which may also be from other programs.
      LONGEST = 16 << 20
      # Maximum number of documents and of blobs. Their names are in memory, which takes about 300 MB at this limit.
      MOST = 1_000_000
      # Number of parallel requests, since a cache may be far away.
      THREADS = 8
      # Placeholder for the unknown names of a document's blobs.
      UNKNOWN = nil
      private_constant :UNKNOWN

      # transport: see RemoteCache.transport. trust: Trust. progress: called with (words, done, of).
      def initialize(transport, trust:, store:, progress: nil)
        @transport = transport
        @trust = trust
        @store = store
        @progress = progress
      end

      # Removes unreferenced entries that are older than `before` (a Time of this machine's clock). A document is
      # referenced if it is about one of the gems in `names` (full names). A blob is referenced by a remaining document
      # or by `archives` (SHA-256s). A document is removed before its blobs, so readers find a complete document or
      # none. New blobs, and those of documents published in the meantime, are not removed. If a remaining document is
      # unreadable or not Spate's, its blobs are unknown, so only blobs of removed documents are removed. Returns
      # Collected. Raises Unavailable, Unsupported.
      def collect(before:, names: [], archives: [], dry: false)
        documents = list("ac/")
        blobs = list("cas/")
        before -= @transport.ahead
        gone, kept = sort(documents, before.to_i, names)
        old = blobs.select { |_, (_, time)| time < before.to_i }.keys - archives.map { |sha256| "cas/#{sha256}" }
        old &= blobs_of(gone) if kept.include?(UNKNOWN)
        removed = remove(gone, before, dry)
        since = published_since(documents)
        removed += remove(since.include?(UNKNOWN) ? [] : old - kept - since, before, dry)
        unfinished, bytes = @transport.sweep(dry: dry)
        Collected.new(documents: documents.size, blobs: blobs.size, removed: removed.size, unfinished: unfinished,
                      bytes: bytes + documents.merge(blobs).values_at(*removed).sum(&:first))
      end

      # Reads all entries and yields each Fault. Returns {documents:, blobs:, bytes:}.
      def verify(&block)
        blobs = list("cas/")
        documents = list("ac/")
        told = ->(name, reasons) { reasons.each { |reason| block.call(Fault.new(name: name, reason: reason)) } }
        each(blobs.keys, "read", ->(name) { [blob_fault(name)].compact }, &told)
        each(documents.keys, "read", ->(name) { faults(name, blobs) }, &told)
        { documents: documents.size, blobs: blobs.size, bytes: documents.merge(blobs).sum { |_, (size, _)| size } }
      end

      private

      # { name => [bytes, Unix time] }
      def list(prefix)
        found = {}
        @transport.each(prefix) do |name, size, time|
          found[name] = [size, time.to_i]
          next if found.size <= MOST

          raise Unavailable.new(:answer, @transport, "has more than #{MOST} names below #{prefix}")
        end
        found
      end

      # Calls `work` with each name in several threads, and yields the name and the result in only one thread at a time.
      # An error stops all threads.
      def each(names, words, work)
        left = Thread::Queue.new(names).close
        mutex = Mutex.new
        done = 0
        threads = Array.new([THREADS, names.size].min) do
          working(left, work) do |name, answer|
            mutex.synchronize do
              yield name, answer if block_given?
              @progress&.call(words, done += 1, names.size)
            end
          end
        end
        threads.each(&:join)
      ensure
        threads&.each(&:kill)&.each(&:join)
      end

      def working(left, work)
        Thread.new do
          Thread.current.report_on_exception = false
          while (name = left.pop)
            yield name, work.call(name)
          end
        rescue StandardError
          left.clear
          raise
        end
      end

      # [names of documents to remove, names of the other documents' blobs]
      def sort(documents, before, names)
        gone = []
        kept = []
        old = ->(name) { documents[name].last < before }
        look = ->(name) { old[name] && names.empty? ? Document.new([]) : read(name) }
        each(documents.keys, "looked at", look) do |name, document|
          stays = !old[name] || document.entries.any? { |entry| names.include?(entry.what) }
          stays ? kept.concat(blobs(document)) : gone << name
        end
        [gone, kept]
      end

      def published_since(documents)
        blobs_of(list("ac/").reject { |name, facts| documents[name] == facts }.keys)
      end

      # Returns the removed names. Checks each time again, since another process may have written or removed the name
      # after it was listed.
      def remove(names, before, dry)
        return names if dry

        removed = []
        work = ->(name) { (time = @transport.time(name)) && time.to_i < before.to_i && @transport.delete(name) }
        each(names, "removed", work) { |name, went| removed << name if went }
        removed
      end

      # Names of the blobs of these documents.
      def blobs_of(names)
        found = []
        each(names, "looked at", method(:read)) { |_, document| found.concat(blobs(document)) }
        found
      end

      # Names of the document's blobs. Includes UNKNOWN if some of its entries are unreadable.
      def blobs(document)
        found = document.entries.filter_map { |entry| "cas/#{entry.blob}" if entry.blob }
        document.faults.empty? ? found : found << UNKNOWN
      end

      # The Document, without entries if it is malformed.
      def read(name)
        document(name)
      rescue Malformed => e
        Document.new([], [e.message])
      end

      # The Document, without entries if it was removed in the meantime.
      def document(name)
        bytes = @transport.get(name, limit: LONGEST)
        bytes ? Document.parse(bytes) : Document.new([])
      rescue TooLong => e
        raise Malformed, e.message
      end

      def blob_fault(name)
        path = @store.temporary("blob")
        @transport.fetch(name, to: path, limit: Client::BLOB) or return # removed in the meantime
        "its content does not match its digest" unless name == "cas/#{Native.sha256_file(path)}"
      rescue TooLong => e
        e.message
      rescue Unavailable => e # the server reports the damage, or sends a truncated blob
        e.reason == :answer ? e.message : raise
      ensure
        Util::Files.remove(path)
      end

      # Whether the blob exists. It may have been written after the names were listed.
      def there?(entry, blobs)
        name = "cas/#{entry.blob}"
        (blobs.dig(name, 0) || @transport.head(name)) == entry.blob_bytes
      end

      def faults(name, blobs)
        document = document(name)
        document.faults + document.entries.filter_map do |entry|
          next "#{entry.what}: it belongs to another name" unless Document.name(entry.key, entry.kind) == name

          next "#{entry.what}: its blob is missing" unless entry.blob.nil? || there?(entry, blobs)

          doubt = @trust.doubt(entry.signer, entry.made)
          doubt ||= "it has no valid signature of a trusted key" unless @trust.signed?(entry)
          "#{entry.what}: #{doubt}" if doubt
        end
      rescue Malformed => e
        [e.message]
      end
    end
  end
end
