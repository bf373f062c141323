# frozen_string_literal: true

module Spate
  module RemoteCache
    # All that a cache has, where it can be listed: collected by age and by what is still named, or read and checked.
    class Contents
      # documents, blobs: how many there were; removed, bytes: how many names went, or would, and their bytes.
      Collected = Struct.new(:documents, :blobs, :removed, :bytes, keyword_init: true)
      # One that is not as it should be. name: "cas/…" or "ac/…".
      Fault = Struct.new(:name, :reason, keyword_init: true)

      # transport: see RemoteCache.transport. trust: Trust.
      def initialize(transport, trust:, store:)
        @transport = transport
        @trust = trust
        @store = store
      end

      # Removes what is older than `before` (Time) and not named: of documents, by the gems in them; of blobs, by
      # documents that stay, or as archives. A document goes before its blobs, so that whoever reads finds a whole one,
      # or none. names: full names of gems; archives: SHA-256s. Answers Collected. Raises Unavailable, Unsupported.
      def collect(before:, names: [], archives: [], dry: false)
        documents = list("ac/")
        blobs = list("cas/")
        old = documents.select { |_, (_, time)| time < before }
        gone = old.keys.reject { |name| named?(name, names) }
        kept = archives.map { |sha256| "cas/#{sha256}" } | blobs_of(documents.keys - gone)
        gone += blobs.select { |_, (_, time)| time < before }.keys - kept
        gone.each { |name| @transport.delete(name) } unless dry
        sizes = documents.merge(blobs)
        Collected.new(documents: documents.size, blobs: blobs.size, removed: gone.size,
                      bytes: gone.sum { |name| sizes[name].first })
      end

      # Reads everything; yields each Fault. Answers {documents:, blobs:, bytes:}.
      def verify(&block)
        blobs = list("cas/")
        documents = list("ac/")
        blobs.each_key { |name| (reason = blob_fault(name)) && yield(Fault.new(name: name, reason: reason)) }
        documents.each_key do |name|
          faults(name, blobs).each { |reason| block.call(Fault.new(name: name, reason: reason)) }
        end
        { documents: documents.size, blobs: blobs.size, bytes: documents.merge(blobs).sum { |_, (size, _)| size } }
      end

      private

      # { name => [bytes, Time] }
      def list(prefix)
        found = {}
        @transport.each(prefix) { |name, size, time| found[name] = [size, time] }
        found
      end

      def named?(name, names)
        names.any? && document(name).entries.any? { |entry| names.include?(entry.what) }
      rescue Malformed
        false
      end

      def blobs_of(names)
        names.flat_map do |name|
          document(name).entries.map { |entry| "cas/#{entry.blob}" }
        rescue Malformed
          []
        end
      end

      # One that went meanwhile has nothing in it.
      def document(name)
        bytes = @transport.get(name, limit: Client::DOCUMENT)
        bytes ? Document.parse(bytes) : Document.new([])
      end

      def blob_fault(name)
        path = @store.temporary("blob")
        @transport.fetch(name, to: path, limit: Client::BLOB) or return # gone meanwhile
        "its content is another" unless name == "cas/#{Native.sha256_file(path)}"
      ensure
        Ground::Files.remove(path)
      end

      def faults(name, blobs)
        document = document(name)
        document.faults + document.entries.filter_map do |entry|
          next "#{entry.what}: it is for another name" unless Document.name(entry.key) == name
          next "#{entry.what}: its blob is not there" unless blobs.dig("cas/#{entry.blob}", 0) == entry.blob_bytes

          doubt = @trust.doubt(entry.signer, entry.made) || (@trust.signed?(entry) ? nil : "it is signed by nobody")
          "#{entry.what}: #{doubt}" if doubt
        end
      rescue Malformed => e
        [e.message]
      end
    end
  end
end
