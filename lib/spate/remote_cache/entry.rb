# frozen_string_literal: true

require "zlib"

module Spate
  module RemoteCache
    # One result in a cache: what it is, signed, and with it the Records of what it depends on.
    #
    # key:: what is known beforehand, hex: of a build its build key (Build::Key)
    # kind:: "build"; "check": what Bundler said of a Gemfile (Gemfile::Check); "compile cache": compile caches of a
    # bundle what, archive:: the gem's full name, or what of_lockfile says; SHA-256 of what it was built from platform,
    # ruby:: for people, and against an entry that was moved to another key id:: of the variant, in the store that made
    # it blob, blob_bytes:: SHA-256 of the file that has the build's, as Pack made it, or a compile cache, and its size
    # tar_bytes, file_bytes, paths:: of the tar or compile cache in it, of the tar's files together, and how many paths
    # it has records:: SHA-256 of the records, packed made, seconds:: when (Unix time), and how long it took signer:: id
    # of the key
    Entry = Struct.new(:key, :kind, :what, :archive, :platform, :ruby, :id, :blob, :blob_bytes, :tar_bytes,
                       :file_bytes, :paths, :records, :made, :seconds, :signer, keyword_init: true) do
      # text: what the signature is of; packed: Records as they are sent. All bytes.
      attr_accessor :text, :signature, :packed

      # This machine, as entries have it.
      def self.machine
        { platform: Platform.local.to_s, ruby: Util::Ruby.description.sub(" +PRISM", "") }
      end

      # The subject of an entry that belongs to a lockfile. text: of the lockfile.
      def self.of_lockfile(text) = "lockfile-#{Store.sha256(text)[0, 32]}"

      # facts: what there is of this kind, but records and signer; it was made here and now unless they say otherwise.
      # key: Trust::PrivateKey.
      def self.sign(facts, packed, key)
        entry = new(**machine, made: Time.now.to_i, **facts, records: Store.sha256(packed), signer: key.id)
        text = entry.render
        parse(text, key.sign(text), packed)
      end

      # Raises Malformed unless the text is one that `sign` would have made. Says nothing about who signed it.
      def self.parse(text, signature, packed)
        first, *lines = text.b.lines(chomp: true) if text.bytesize <= self::TEXT
        raise Malformed, "no entry of this format" unless first == self::FORMAT && signature.bytesize == 64

        values = lines.map { |line| line.split(" ", 2) }
        names = members - self::LACKING.fetch(values.dig(1, 1), [])
        raise Malformed, "an entry with other lines" unless values.map(&:first) == names.map(&:to_s)

        entry = new(**names.zip(values.map(&:last)).to_h { |name, value| [name, read(name, value)] })
        raise Malformed, "an entry that is written otherwise" unless entry.render == text.b

        entry.tap { |made| made.text, made.signature, made.packed = [text, signature, packed].map(&:b) }
      end

      def self.read(name, value)
        raise Malformed, "an entry has an invalid #{name}" unless value&.match?(self::VALUES.fetch(name))

        self::NUMBERS.include?(name) ? value.to_i : value.dup.force_encoding(Encoding::UTF_8)
      end
      private_class_method :read

      # The text to be signed.
      def render = [self.class::FORMAT, *to_h.compact.map { |name, value| "#{name} #{value}" }, ""].join("\n").b

      # Whether the text, and by their digest the records, are this key's. key: Trust::PublicKey.
      def signed_by?(key) = key.verify(signature, text) && Store.sha256(packed) == records
    end

    Entry::FORMAT = "spate entry 1"
    # Bytes of a text, at most.
    Entry::TEXT = 4096
    Entry::NUMBERS = %i[blob_bytes tar_bytes file_bytes paths made].freeze
    # Lines that entries of a kind do not have.
    Entry::LACKING = {
      "check" => %i[archive blob blob_bytes tar_bytes file_bytes paths seconds],
      "compile_cache" => %i[archive file_bytes paths seconds]
    }.freeze
    Entry::VALUES = begin
      sha256 = /\A[0-9a-f]{64}\z/n
      number = /\A(?:0|[1-9]\d{0,14})\z/n
      { key: sha256, kind: /\A(?:build|check|compile_cache)\z/n, what: /\A\w[\w.+-]{0,254}\z/n, archive: sha256,
        platform: /\A[\w.-]{1,64}\z/n, ruby: /\A[!-~](?:[ -~]{0,198}[!-~])?\z/n, id: /\A[0-9a-f]{16}\z/n,
        blob: sha256, blob_bytes: number, tar_bytes: number, file_bytes: number, paths: number, records: sha256,
        made: number, seconds: /\A\d{1,7}\.\d{1,3}\z/n, signer: /\A[0-9a-f]{32}\z/n }
    end

    # Sent with an entry, so that one answer decides whether a build fits: a record of inputs, one of what it needs
    # to run (both as Inputs writes them, without stamps), and the facts (Build::Cache::Record), as bytes.
    Entry::Records = Struct.new(:inputs, :needs, :facts) do
      # Raises Malformed.
      def self.unpack(packed)
        raise Malformed, "records of more than #{self::PACKED} bytes" if packed.bytesize > self::PACKED

        head, rest = inflate(packed).split("\n", 2)
        lengths = head.to_s[/\A\d{1,8} \d{1,8} \d{1,8}\z/n]&.split&.map(&:to_i)
        raise Malformed, "records of another format" unless lengths && lengths.sum == rest&.bytesize

        new(*lengths.map { |length| rest.slice!(0, length) })
      end

      def self.inflate(packed)
        out = String.new(encoding: Encoding::BINARY)
        zlib = Zlib::Inflate.new
        zlib.inflate(packed) do |piece|
          out << piece
          raise Malformed, "records of more than #{self::LIMIT} bytes" if out.bytesize > self::LIMIT
        end
        whole = zlib.finished? && zlib.total_in == packed.bytesize
        raise Malformed, "records that end too early or too late" unless whole

        out
      rescue Zlib::Error => e
        raise Malformed, "records that are damaged: #{e.message}"
      ensure
        zlib&.close
      end
      private_class_method :inflate

      # Bytes; the same for the same records.
      def pack
        packed = Zlib::Deflate.deflate("#{map(&:bytesize).join(" ")}\n".b + map(&:b).join)
        raise Refused, "it depends on too much to be sent" if packed.bytesize > self.class::PACKED

        packed
      end
    end

    # Bytes, packed and not.
    Entry::Records::PACKED = 1 << 20
    Entry::Records::LIMIT = 16 << 20
  end
end
