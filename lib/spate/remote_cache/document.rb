# frozen_string_literal: true

module Spate
  module RemoteCache
    # The entries that a cache has of one kind under one key, the newest first. Bytes of an ActionResult whose
    # files are the entries' blobs; its stdout is a line of format, and then of each entry a line with the lengths of
    # text, signature and records, and these.
    class Document
      %i[ActionResult Wire].each { |name| autoload name, "spate/remote_cache/document/action_result" }

      FORMAT = "spate document 1".b.freeze
      MOST = 8

      # Where the document of a key lies.
      def self.name(key, kind = "build") = "ac/#{Store.sha256("spate #{kind} #{key}")}"

      # The block's results for the entries that are trusted and for this kind, key and machine, and [String]: why
      # others cannot be used. The block answers why an entry cannot (String), or raises Malformed, as this does where
      # the bytes are not a document.
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

      # An entry that cannot be read is a fault, as is a format that another Spate may know; the others count. Raises
      # Malformed for anything but a document.
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

      # Both as one, as far as there is room: of each signer's builds from the same inputs only the first stays.
      def self.merge(newer, older)
        entries = (newer.entries + older.entries).uniq { |entry| [entry.signer, entry.id] }.first(MOST)
        entries.pop while new(entries).encode.bytesize > ActionResult::LIMIT
        new(entries)
      end

      # [Entry]; why others could not be read, in words.
      attr_reader :entries, :faults

      def initialize(entries, faults = [])
        @entries = entries
        @faults = faults
      end

      # Bytes.
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
