# frozen_string_literal: true

module Spate
  module RemoteCache
    # The entries of a cache of one kind under one key, newest first. Encoded as an ActionResult whose files are the
    # blobs of the entries. Its stdout is a line with the format, followed for each entry by a line with the lengths of
    # text, signature and records, and by these three.
    class Document
      %i[ActionResult Wire].each { |name| autoload name, "spate/remote_cache/document/action_result" }

      FORMAT = "spate document 1".b.freeze
      MOST = 8

      # The name of the document of a key in the cache.
      def self.name(key, kind = "build") = "ac/#{Store.sha256("spate #{kind} #{key}")}"

      # Returns [results, reasons]. results: those of the block for the entries that are trusted and match the kind, key
      # and machine. reasons: [String], why the other entries cannot be used. The block returns a reason (String) to
      # reject an entry, or raises Malformed; this method also raises it if the bytes are not a document.
      def self.sift(bytes, trust, kind, key)
        document = parse(bytes)
        answers = document.entries.map do |entry|
          trust.refusal(entry, key, kind: kind, **Entry.machine) || yield(entry)
        rescue Malformed => e
          e.message
        end
        reasons, found = answers.partition { |answer| answer.is_a?(String) }
        [found, document.faults + reasons]
      end

      # An unreadable entry, or one in a format of another version of Spate, becomes a fault; the other entries are
      # used. Raises Malformed if the bytes are not a document.
      def self.parse(bytes)
        entries = []
        faults = []
        first, rest = ActionResult.decode(bytes).stdout.split("\n", 2)
        return new([], ["no document of this format"]) unless first == FORMAT && rest

        pieces(rest).each do |pieces|
          entries << Entry.parse(*pieces)
        rescue Malformed => e
          faults << e.message
        end
        new(entries, faults)
      end

      # [[text, signature, records]]
      def self.pieces(rest)
        found = []
        until rest.empty?
          head = rest[/\A\d{1,4} \d{1,3} \d{1,8}\n/n] or raise Malformed, "a document with other lines"
          lengths = head.split.map(&:to_i)
          rest = rest.byteslice(head.bytesize..)
          raise Malformed, "a document that ends too early" if lengths.sum > rest.bytesize

          found << lengths.map { |length| rest.slice!(0, length) }
          raise Malformed, "a document with more than #{MOST} entries" if found.size > MOST
        end
        found
      end
      private_class_method :pieces

      # Merges two documents as far as space allows. Of each signer's builds from the same inputs, only the first is
      # kept.
      def self.merge(newer, older)
        entries = (newer.entries + older.entries).uniq { |entry| [entry.signer, entry.id] }.first(MOST)
        entries.pop while new(entries).encode.bytesize > ActionResult::LIMIT
        new(entries)
      end

      # entries: [Entry]. faults: reasons why other entries could not be read, [String].
      attr_reader :entries, :faults

      def initialize(entries, faults = [])
        @entries = entries
        @faults = faults
      end

      # The document as bytes.
      def encode
        files = entries.select(&:blob).map { |entry| ActionResult::File.new(entry.what, entry.blob, entry.blob_bytes) }
        stdout = entries.map do |entry|
          pieces = [entry.text, entry.signature, entry.packed]
          [pieces.map(&:bytesize).join(" "), "\n", *pieces].map(&:b).join
        end
        ActionResult.new(files, "#{FORMAT}\n".b + stdout.join.b).encode
      end
    end
  end
end
