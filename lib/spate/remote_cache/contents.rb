# frozen_string_literal: true

module Spate
  module RemoteCache
    # All that a cache has, where it can be listed: collected by age and by what is still named, or read and checked.
    class Contents
      # documents, blobs: how many there were; removed: how many names went, or would; unfinished: what killed writers
      # left; bytes: of both.
      Collected = Struct.new(:documents, :blobs, :removed, :unfinished, :bytes, keyword_init: true)
      # One that is not as it should be. name: "cas/…" or "ac/…".
      Fault = Struct.new(:name, :reason, keyword_init: true)
      # Bytes of what may lie below ac/: servers take as much from other programs.
      LONGEST = 16 << 20
      # Names that are kept in mind of each kind: some 300 MB.
      MOST = 1_000_000
      # Requests at once: a cache may be far away.
      THREADS = 8
      # In place of the names of a document's blobs.
      UNKNOWN = nil
      private_constant :UNKNOWN

      # transport: see RemoteCache.transport. trust: Trust. progress: called with (words, done, of).
      def initialize(transport, trust:, store:, progress: nil)
        @transport = transport
        @trust = trust
        @store = store
        @progress = progress
      end

      # Removes what is older than `before` (Time, by this machine's clock) and not named: of documents, by the gems in
      # them; of blobs, by documents that stay, or as archives. A document is removed before its blobs, so that readers
      # find a complete one, or none; documents that are published meanwhile keep their blobs, and newly written blobs
      # stay. While a document stays that is not Spate's, or cannot be read, its blobs are unknown: then only the blobs
      # of removed documents are removed. names: full names of gems; archives: SHA-256s. Answers Collected. Raises
      # Unavailable, Unsupported.
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

      # Reads everything; yields each Fault. Answers {documents:, blobs:, bytes:}.
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

      # Does the work with each name, in threads, and yields the name and the result, one at a time. An error ends all
      # of them.
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

      # [names of documents that are to go, names of blobs that the others have]
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

      # Answers the names of what went. Another may have written since it was listed, or removed it.
      def remove(names, before, dry)
        return names if dry

        removed = []
        work = ->(name) { (time = @transport.time(name)) && time.to_i < before.to_i && @transport.delete(name) }
        each(names, "removed", work) { |name, went| removed << name if went }
        removed
      end

      # Of the documents of these names.
      def blobs_of(names)
        found = []
        each(names, "looked at", method(:read)) { |_, document| found.concat(blobs(document)) }
        found
      end

      # Names, UNKNOWN among them where some are not known.
      def blobs(document)
        found = document.entries.filter_map { |entry| "cas/#{entry.blob}" if entry.blob }
        document.faults.empty? ? found : found << UNKNOWN
      end

      # The document, as far as it can be read.
      def read(name)
        document(name)
      rescue Malformed => e
        Document.new([], [e.message])
      end

      # One that went meanwhile has nothing in it.
      def document(name)
        bytes = @transport.get(name, limit: LONGEST)
        bytes ? Document.parse(bytes) : Document.new([])
      rescue TooLong => e
        raise Malformed, e.message
      end

      def blob_fault(name)
        path = @store.temporary("blob")
        @transport.fetch(name, to: path, limit: Client::BLOB) or return # gone meanwhile
        "its content is another" unless name == "cas/#{Native.sha256_file(path)}"
      rescue TooLong => e
        e.message
      rescue Unavailable => e # where a server finds that itself, or has half of it
        e.reason == :answer ? e.message : raise
      ensure
        Util::Files.remove(path)
      end

      # In the list, or since that was made.
      def there?(entry, blobs)
        name = "cas/#{entry.blob}"
        (blobs.dig(name, 0) || @transport.head(name)) == entry.blob_bytes
      end

      def faults(name, blobs)
        document = document(name)
        document.faults + document.entries.filter_map do |entry|
          next "#{entry.what}: it is for another name" unless Document.name(entry.key, entry.kind) == name

          next "#{entry.what}: its blob is not there" unless entry.blob.nil? || there?(entry, blobs)

          doubt = @trust.doubt(entry.signer, entry.made) || (@trust.signed?(entry) ? nil : "no trusted key signed it")
          "#{entry.what}: #{doubt}" if doubt
        end
      rescue Malformed => e
        [e.message]
      end
    end
  end
end
