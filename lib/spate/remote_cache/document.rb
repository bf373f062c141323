# frozen_string_literal: true

module Spate
  module RemoteCache
    # All entries of one kind and key in a cache, newest first. Encoded as an ActionResult whose files are the blobs of
    # the entries. Its stdout starts with a line with the format. For each entry it has a line with the lengths of the
    # text, signature and records, followed by these three.
    class Document
      FORMAT = "spate document 1".b.freeze
      MOST = 8

      # The name of the document of a key in the cache.
      def self.name(key, kind = "build") = "ac/#{Store.sha256("spate #{kind} #{key}")}"

      # Yields all entries that are trusted and match the kind, key and machine. Returns [the block's results, reasons
      # why other entries cannot be used (Strings)]. The block rejects an entry by returning a reason (String) or
      # raising Malformed. Raises Malformed if the bytes are not a document.
      def self.select_trusted(bytes, trust, kind, key)
        document = parse(bytes)
        answers = document.entries.map do |entry|
          trust.refusal(entry, key, kind: kind, **Entry.machine) || yield(entry)
        rescue Malformed => e
          e.message
        end
        reasons, found = answers.partition { |answer| answer.is_a?(String) }
        [found, document.faults + reasons]
      end

      # Parses a document. Unreadable entries, and entries in a different version's format, are reported in #faults.
      # Raises Malformed if the bytes are not a document.
      def self.parse(bytes)
        entries = []
        faults = []
        first, rest = ActionResult.decode(bytes).stdout.split("\n", 2)
        return new([], ["not a document of this format"]) unless first == FORMAT && rest

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
          head = rest[/\A\d{1,4} \d{1,3} \d{1,8}\n/n] or raise Malformed, "a malformed document"
          lengths = head.split.map(&:to_i)
          rest = rest.byteslice(head.bytesize..)
          raise Malformed, "a truncated document" if lengths.sum > rest.bytesize

          found << lengths.map { |length| rest.slice!(0, length) }
          raise Malformed, "a document with more than #{MOST} entries" if found.size > MOST
        end
        found
      end
      private_class_method :pieces

      # Merges two documents, and drops the last entries if there are too many. If a signer has several builds from the
      # same inputs, only the first one is included.
      def self.merge(newer, older)
        entries = (newer.entries + older.entries).uniq { |entry| [entry.signer, entry.id] }.first(MOST)
        entries.pop while new(entries).encode.bytesize > ActionResult::LIMIT
        new(entries)
      end

      # entries: [Entry]. faults: [String], reasons why other entries could not be read.
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

      # The fields of Bazel's ActionResult (build/bazel/remote/execution/v2/remote_execution.proto) that Spate needs.
      # Servers of that protocol check that the listed blobs exist, and do not remove them before the result.
      #
      #   ActionResult  2 output_files (each an OutputFile)  5 stdout_raw (bytes)
      #   OutputFile    1 path (string)  2 digest (Digest)
      #   Digest        1 hash (string, hex)  2 size_bytes (int64)
      #
      # files:: [File]; stdout:: bytes
      ActionResult = Struct.new(:files, :stdout) do
        # Raises Malformed, and nothing else, for invalid bytes.
        def self.decode(bytes)
          raise Malformed, "an action result of more than #{self::LIMIT} bytes" if bytes.bytesize > self::LIMIT

          files = Wire.fields(bytes).filter_map { |number, value| file(value) if number == 2 }
          raise Malformed, "an action result with more than #{self::FILES} files" if files.size > self::FILES

          new(files, Wire.values(bytes, 5 => String).first.to_s.b)
        end

        def self.file(bytes)
          path, digest = Wire.values(bytes, 1 => String, 2 => String)
          sha256, size = Wire.values(digest.to_s, 1 => String, 2 => Integer)
          unless sha256&.match?(/\A[0-9a-f]{64}\z/n) && size.to_i < 1 << 63
            raise Malformed, "a file without digest in an action result"
          end

          self::File.new(path.to_s.dup.force_encoding(Encoding::UTF_8).scrub("?"), sha256.encode("UTF-8"), size.to_i)
        end
        private_class_method :file

        # The action result as bytes.
        def encode
          files.map do |file|
            digest = Wire.field(1, file.sha256) + Wire.field(2, file.bytes)
            Wire.field(2, Wire.field(1, file.path) + Wire.field(2, digest))
          end.join.b + Wire.field(5, stdout)
        end
      end

      # A blob. sha256: in hex. bytes: its size.
      ActionResult::File = Struct.new(:path, :sha256, :bytes)
      # Maximum size of an action result in bytes, and maximum number of its files.
      ActionResult::LIMIT = 4 << 20
      ActionResult::FILES = 64

      # The wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding). A field has a number and a type:
      # 0 for a varint, 1 for eight bytes, 2 for a length and as many bytes, 5 for four bytes.
      module Wire
        # Maximum number of fields of a message. An action result has one field for each file, and a few more.
        MOST = 128

        module_function

        # Decodes a message: [[field number, String or Integer]] in the original order. Raises Malformed.
        def fields(bytes)
          raise Malformed, "a number instead of a message in an action result" unless bytes.is_a?(String)

          bytes = bytes.b
          found = []
          at = 0
          while at < bytes.bytesize
            tag, at = varint(bytes, at)
            raise Malformed, "an invalid field number in an action result" unless (tag >> 3).between?(1, (1 << 29) - 1)

            value, at = value(bytes, at, tag & 7)
            found << [tag >> 3, value]
            raise Malformed, "an action result with more than #{MOST} fields" if found.size > MOST
          end
          found
        end

        # The last value of each of these fields, or nil if it is missing. types: {field number => class}. Raises
        # Malformed.
        def values(bytes, types)
          found = fields(bytes).to_h
          types.map do |number, type|
            value = found[number]
            next value if value.nil? || value.is_a?(type)

            raise Malformed, "field #{number} of an action result has the wrong type"
          end
        end

        # A field as bytes.
        def field(number, value)
          return number_bytes(number << 3) + number_bytes(value) if value.is_a?(Integer)

          number_bytes((number << 3) | 2) + number_bytes(value.bytesize) + value.b
        end

        def number_bytes(number)
          bytes = []
          loop do
            bytes << ((number & 0x7f) | (number > 0x7f ? 0x80 : 0))
            break if (number >>= 7).zero?
          end
          bytes.pack("C*")
        end

        def value(bytes, at, type)
          case type
          when 0 then varint(bytes, at)
          when 1 then slice(bytes, at, 8)
          when 2 then slice(bytes, *varint(bytes, at).reverse)
          when 5 then slice(bytes, at, 4)
          else raise Malformed, "a field of type #{type} in an action result"
          end
        end

        def slice(bytes, at, length)
          raise Malformed, "a truncated action result" if length > bytes.bytesize - at

          [bytes.byteslice(at, length), at + length]
        end

        def varint(bytes, at)
          number = 0
          10.times do |index|
            byte = bytes.getbyte(at + index) or raise Malformed, "a truncated action result"
            number |= (byte & 0x7f) << (7 * index)
            return [number & 0xffff_ffff_ffff_ffff, at + index + 1] if byte < 0x80
          end
          raise Malformed, "a number of more than ten bytes in an action result"
        end
      end
    end
  end
end
